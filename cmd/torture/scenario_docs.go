package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/registry"
)

// newScenarioDocs is the hidden command that writes docs/scenarios.
func newScenarioDocs(known map[string]registry.Backend) *cobra.Command {
	var s scenarioSpec
	var text bool
	cmd := &cobra.Command{
		Use:    "docs DIR [NAME...]",
		Short:  "write a page for each scenario, with a drawing of what happened",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			player := s.player(known, nil)
			defer player.Close()
			return player.Pages(cmd.Context(), args[0], args[1:], text, func(scenario string) {
				fmt.Fprintln(cmd.ErrOrStderr(), scenario)
			})
		},
	}
	s.ServerSpec.Register(cmd.Flags())
	s.WireSpec.Register(cmd.Flags(), "64")
	cmd.Flags().StringVar(&s.Dir, "dir", "results/runs", "directory for the run directories")
	cmd.Flags().BoolVar(&text, "text", false, "keep existing drawings, and play only the scenarios whose page has no drawing")
	return cmd
}
