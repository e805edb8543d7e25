package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/registry"
	"locktorture/runs"
)

// newDriverBuild builds what is otherwise built when it is first asked for.
func newDriverBuild() *cobra.Command {
	return &cobra.Command{
		Use:   "build [NAME...]",
		Short: "build the drivers of locks whose libraries are not part of torture",
		Long: `build builds the named programs of drivers/go. Without names, all these programs and
torture-kubernetes are built. You rarely need this command, because torture builds a
program automatically at its first use, and again after its source has changed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			known := registry.Programs()
			for _, name := range args {
				if err := suggest.Among(name, known); err != nil {
					return exit.Usage("driver: %v", err)
				}
			}
			for _, name := range known {
				if len(args) > 0 && !slices.Contains(args, name) {
					continue
				}
				path, err := registry.DriverProgram(name).Path(cmd.Context())
				if err != nil {
					return runs.Broken(err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), path)
			}
			if len(args) > 0 {
				return nil
			}
			path, err := kubernetesProgram().Path(cmd.Context())
			if err != nil {
				return runs.Broken(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}
