package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/history"
	"locktorture/report/story"
	"locktorture/scenarios"
	"locktorture/scenarios/record"
	"locktorture/trial"
)

// newScenarioDocs is the hidden command that writes docs/scenarios.
func newScenarioDocs() *cobra.Command {
	var s scenarioSpec
	var text bool
	cmd := &cobra.Command{
		Use:    "docs DIR [NAME...]",
		Short:  "write a page for each scenario, with a drawing of what happened",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pool := &clusterPool{servers: s.serverSpec}
			defer pool.close()
			for _, n := range scenarios.All() {
				if len(args) > 1 && !slices.Contains(args[1:], n.Name) {
					continue
				}
				file := filepath.Join(args[0], n.Name+".md")
				if drawing, ok := record.DrawingOf(file); text && ok {
					if err := os.WriteFile(file, []byte(record.Page(n, drawing)), 0o644); err != nil {
						return broken(err)
					}
					continue
				}
				fmt.Fprintln(cmd.ErrOrStderr(), n.Name)
				r, err := playOnce(cmd.Context(), pool, s, play{n, n.Cases[0]})
				if err = errors.Join(err, r.write()); err != nil {
					return err
				}
				h, _, err := history.ReadFile(trial.HistoryOf(r.dir).Name)
				if err != nil {
					return broken(err)
				}
				page := record.Page(n, story.New(r.run, r.result, h).Mermaid())
				if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
					return broken(err)
				}
			}
			return nil
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringVar(&s.Dir, "dir", "results/runs", "where run directories are made")
	cmd.Flags().BoolVar(&text, "text", false, "keep the drawings of pages that have one, and play nothing for them")
	return cmd
}
