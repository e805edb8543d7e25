package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/registry"
	"locktorture/trial"
)

func newReport() *cobra.Command {
	return &cobra.Command{
		Use:   "report RUNDIR...",
		Short: "judge recorded runs again and write their reports anew",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, path := range args {
				run, r, dir, err := trial.Again(path, "", registry.Invariant)
				if err != nil {
					return usage("%v", err)
				}
				if err := trial.Write(run, r, dir); err != nil {
					return broken(err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), dir.File("report.html"))
			}
			return nil
		},
	}
}
