package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUNDIR...",
		Short: "judge recorded runs again and write their reports anew",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				run, dir, err := loadRun(path)
				if err != nil {
					return usage("%v", err)
				}
				r, err := judge(dir.path, run.Options)
				if err != nil {
					return usage("%v", err)
				}
				if err := writeReports(run, r, dir); err != nil {
					return broken(err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), dir.file("report.html"))
			}
			return nil
		},
	}
}
