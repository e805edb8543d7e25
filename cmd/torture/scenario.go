package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/scenarios"
	"locktorture/scenarios/record"
)

// A scenarioSpec is what the flags of torture scenario run say.
type scenarioSpec struct {
	Backend string
	Variant string
	Dir     string
	Record  string // file of the track record; "": none
	Repeat  int
	JSON    bool
	Quiet   bool
	serverSpec
}

func newScenario() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "play known schedules step by step, whose outcome does not depend on luck",
	}
	cmd.AddCommand(newScenarioList(), newScenarioRun(), newScenarioDocs())
	return cmd
}

func newScenarioList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the scenarios, the locks that they apply to and what must be seen",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return record.List(cmd.OutOrStdout(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func newScenarioRun() *cobra.Command {
	var s scenarioSpec
	cmd := &cobra.Command{
		Use:   "run NAME|all",
		Short: "play a scenario and compare what was seen with what must be seen",
		Long: `run plays a scenario with every lock that it applies to, or with the one that
--backend names. Each play is a run directory of its own.

exit codes: 0 as expected, 1 not as expected, 2 a scenario that does not apply
to that lock, 3 something could not be served here, 4 the harness itself failed,
130 interrupted (the play is judged as far as it came)`,
		Example: `  torture scenario run gc-pause
  torture scenario run gc-pause --backend redis-fenced
  torture scenario run all --repeat 5`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(append(scenarioNames(), "all"), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return runScenarios(cmd, s, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&s.Backend, "backend", "", "the lock (default: every one that the scenario applies to)")
	f.StringVar(&s.Variant, "variant", "", "of a lock with several cases (torture scenario list)")
	s.register(f)
	f.StringVar(&s.Dir, "dir", "results/runs", "where run directories are made")
	f.IntVar(&s.Repeat, "repeat", 1, "play each case that often, and say how often it came out as expected")
	f.StringVar(&s.Record, "record", "", "write the rates into the track record of this Markdown file (make track-record)")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object instead of a table")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
	completions(cmd)
	return cmd
}

func scenarioNames() []string {
	var names []string
	for _, n := range scenarios.All() {
		names = append(names, n.Name)
	}
	return names
}

// chosenCases picks what the command line names.
func chosenCases(s scenarioSpec, name string) ([]play, error) {
	known := map[string]bool{}
	var chosen []play
	for _, n := range scenarios.All() {
		known[n.Name] = true
		if name != "all" && name != n.Name {
			continue
		}
		for _, c := range n.Cases {
			if (s.Backend == "" || c.Backend == s.Backend) && (s.Variant == "" || c.Variant == s.Variant) {
				chosen = append(chosen, play{n, c})
			}
		}
	}
	if name != "all" && !known[name] {
		return nil, unknownName("scenario", name, known)
	}
	if _, ok := backends()[s.Backend]; s.Backend != "" && !ok {
		return nil, unknownName("backend", s.Backend, backends())
	}
	if len(chosen) == 0 {
		return nil, usage("scenario %s does not apply to %s; it applies to %s", name,
			strings.TrimSpace(s.Backend+" "+s.Variant), strings.Join(appliesTo(name), ", "))
	}
	return chosen, nil
}

func appliesTo(name string) []string {
	var out []string
	for _, n := range scenarios.All() {
		if n.Name == name {
			for _, c := range n.Cases {
				out = append(out, c.Name())
			}
		}
	}
	return slices.Compact(out)
}

// A play is one case of one scenario.
type play struct {
	scenarios.Named
	Case scenarios.Case
}
