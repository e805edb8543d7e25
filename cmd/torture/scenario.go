package main

import (
	"context"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/scenarios"
	"locktorture/scenarios/play"
	"locktorture/scenarios/record"
	"locktorture/simulate/machine"
	"locktorture/trial"
)

// A scenarioSpec is what the flags of torture scenario run say.
type scenarioSpec struct {
	Backend string
	Variant string
	Dir     string
	Repeat  int
	JSON    bool
	Quiet   bool
	Virtual bool
	runs.ServerSpec
	runs.WireSpec
	runs.LedgerSpec
}

func newScenario(env environment) *cobra.Command {
	cmd := cli.Grouping(&cobra.Command{
		Use:   "scenario",
		Short: "play known failures of locks, as scripts in which every step is fixed",
	})
	cmd.AddCommand(newScenarioList(), newScenarioRun(env.locks), newScenarioDocs(env.locks))
	return cmd
}

func newScenarioList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "list [NAME]",
		Short:             "list all scenarios, or describe one: its locks and the expected outcomes",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(scenarioNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			return listScenarios(cmd.OutOrStdout(), strings.Join(args, ""), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/files.md)")
	return cmd
}

func newScenarioRun(known map[string]registry.Backend) *cobra.Command {
	var s scenarioSpec
	cmd := &cobra.Command{
		Use:   "run NAME|all",
		Short: "play a scenario, and compare the outcome with the expected outcome",
		Long: `run plays a scenario with every lock to which the scenario applies, or only with the lock
that --backend names. Each play is a run, and has a run directory of its own.

exit codes: 0 the outcome is as expected, 1 the outcome is not as expected, 2 wrong usage
or a lock to which the scenario does not apply, 3 a server is not available here, 4 the harness
itself failed, 5 your driver failed, 130 interrupted (run judges the play up to that point)`,
		Example: `  torture scenario run gc-pause
  torture scenario run gc-pause --backend redis-fenced
  torture scenario run all --repeat 5`,
		Args:              cli.OneArg("a scenario, or all"),
		ValidArgsFunction: cobra.FixedCompletions(append(scenarioNames(), play.All), cobra.ShellCompDirectiveNoFileComp),
		RunE:              func(cmd *cobra.Command, args []string) error { return runScenarios(cmd, known, s, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&s.Backend, "backend", "", "lock with which to play (default: every lock of the scenario)")
	f.StringVar(&s.Variant, "variant", "", "case to play, if the scenario has several cases for the lock (torture scenario list NAME)")
	s.ServerSpec.Register(f)
	s.WireSpec.Register(f, "64")
	s.LedgerSpec.Register(f)
	f.StringVar(&s.Dir, "dir", "results/runs", "directory for the run directories")
	f.IntVar(&s.Repeat, "repeat", 1, "number of plays of each case; the table counts the plays with the expected outcome")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object instead of a table")
	f.BoolVar(&s.Virtual, "virtual", false, "play in virtual time, which takes seconds instead of minutes; only for locks on one Redis server or on five")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	completions(cmd, known)
	return cmd
}

func scenarioNames() []string {
	var names []string
	for _, n := range scenarios.All() {
		names = append(names, n.Name)
	}
	return names
}

// player plays on what the flags say.
func (s scenarioSpec) player(known map[string]registry.Backend, program *machine.Program) *play.Player {
	wire, _ := s.WireSpec.Bytes() // it was checked
	return play.New(play.Config{
		Program: program,
		Servers: s.Servers, Locks: known, Dir: s.Dir, Wire: wire, Commit: commit, Versions: runs.Versions(commit), Again: s.again,
		Meet: func(b registry.Backend, o driver.Open, inProcess bool) func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error) {
			return runs.Clients{Backend: b, Open: o, InProcess: inProcess}.Meet
		},
	})
}

// again is the command line that plays the same on the same servers.
func (s scenarioSpec) again(p play.Play) string {
	words := append([]string{"--cluster", s.Cluster}, s.ImageWords()...)
	if s.Virtual {
		words = []string{"--virtual"}
	}
	return record.Command(p.Name, p.Case.Backend, p.Case.Variant) + " " + shellquote.Join(append(words, "--"+runs.NoConfig)...)
}
