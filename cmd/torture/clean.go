package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/cluster"
	"locktorture/cluster/docker"
)

func newClean() *cobra.Command {
	var dir, keys string
	var keep int
	cmd := &cobra.Command{
		Use:   "clean",
		Short: "remove old runs, and whatever a killed run left behind",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keep < 0 {
				return usage("--keep %d: must not be negative", keep)
			}
			if keys != "" {
				n, err := sweepRun(cmd.Context(), keys)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "removed %d keys that %s had left\n", n, keys)
				return nil
			}
			gone, err := docker.Clean(cmd.Context()) // before their directories
			for _, what := range gone {
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s, left by a killed run\n", what)
			}
			if err != nil {
				return broken(err)
			}
			left, err := cluster.Clean()
			for _, path := range left {
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s, left by a killed run\n", path)
			}
			if err != nil {
				return broken(err)
			}
			return cleanRuns(cmd, dir, keep)
		},
	}
	cmd.Flags().IntVar(&keep, "keep", 10, "how many of the newest runs stay")
	cmd.Flags().StringVar(&dir, "dir", "results/runs", "where the run directories are")
	cmd.Flags().StringVar(&keys, "keys", "", "instead: the directory of a killed run on servers of your own, whose keys are removed there")
	return cmd
}

// cleanRuns removes all but the newest run directories.
func cleanRuns(cmd *cobra.Command, dir string, keep int) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	if err != nil {
		return broken(err)
	}
	var runs []string
	for _, p := range paths {
		run := filepath.Dir(p)
		if filepath.Base(run) != "latest" {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs) // their names begin with the time
	for _, run := range runs[:max(0, len(runs)-keep)] {
		if err := os.RemoveAll(run); err != nil {
			return broken(err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "removed %s\n", run)
	}
	return nil
}
