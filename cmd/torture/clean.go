package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/runs"
	"locktorture/trial"
)

func newClean() *cobra.Command {
	var dir, keys string
	var keep int
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "remove old runs, and the leftovers of killed runs",
		Long: `clean removes the data directories and containers of killed runs, and all run directories
except the newest (--keep). clean keeps runs that are still in progress, and directories
that torture did not make.

With --keys, clean removes only the keys that a killed run left on servers of your own.
clean reads the names of these keys from notes on this machine, not from run.json.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keep < 0 {
				return exit.Usage("--keep %d: must not be negative", keep)
			}
			if keys != "" {
				n, err := runs.ClearKeys(cmd.Context(), keys)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "removed %d keys that the run %s left behind\n", n, keys)
				return nil
			}
			return cleanAll(cmd, dir, keep)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 10, "number of newest runs to keep")
	cmd.Flags().StringVar(&dir, "dir", "results/runs", "directory of the run directories")
	cmd.Flags().StringVar(&keys, "keys", "", "directory of a killed run: remove only the keys that this run left on servers of your own")
	return cmd
}

// cleanAll removes what killed runs have left, and all but the newest run directories.
func cleanAll(cmd *cobra.Command, dir string, keep int) error {
	for _, left := range []struct {
		clean func() ([]string, error)
		why   string
	}{
		{func() ([]string, error) { return docker.Clean(cmd.Context()) }, ", left by a killed run"}, // before their directories
		{cluster.Clean, ", left by a killed run"},
		{func() ([]string, error) { return trial.Prune(cmd.Context(), dir, keep) }, ""},
	} {
		gone, err := left.clean()
		for _, what := range gone {
			fmt.Fprintf(cmd.OutOrStdout(), "removed %s%s\n", what, left.why)
		}
		if err != nil {
			return runs.Broken(err)
		}
	}
	return nil
}
