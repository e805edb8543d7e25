package main

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/selftest"
	"locktorture/simulate/search"
)

// newSelftest wires the commands that test torture itself.
func newSelftest() *cobra.Command {
	cmd := cli.Grouping(&cobra.Command{
		Use:   "selftest",
		Short: "test torture itself: it must flag broken locks, and must not flag correct locks",
	})
	cmd.AddCommand(newSelftestMutants(), newSelftestHazards(), newSelftestControls(), newSelftestSearches())
	return cmd
}

func newSelftestMutants() *cobra.Command {
	var s selftestSpec
	var only []string
	var v virtualSpec
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "run deliberately broken locks (mutants), and their correct twins",
		Long: `mutants runs deliberately broken locks (mutants). One switch distinguishes a mutant from a
correct lock, its twin. A mutant is found if torture reports its anomaly with every seed.
Each twin runs with the flags of each of its mutants in turn, and torture must report no
anomaly of the twin.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := selftest.Mutants
			if v.On {
				if err := v.check(cmd); err != nil {
					return err
				}
				table = func(only []string) (selftest.Table, error) { return selftest.VirtualMutants(only, v.Trials) }
			}
			return s.run(cmd, table, only)
		},
	}
	s.register(cmd.Flags())
	v.register(cmd.Flags())
	cmd.Flags().IntVar(&v.Trials, "trials", 100, "with --virtual: maximum number of trials of each search")
	cmd.Flags().StringSliceVar(&only, "only", nil, "only these mutants and their twins (torture list mutants)"+otherRows)
	return cmd
}

func newSelftestHazards() *cobra.Command {
	s := selftestSpec{Options: selftest.Options{Duration: selftest.HazardDuration}}
	var only []string
	cmd := &cobra.Command{
		Use:   "hazards",
		Short: "run each known hazard: a lock under a fault that breaks this lock",
		Long: `hazards runs each lock for 15 s under a fault that breaks this lock, on real servers and with
the default flags. torture must report the anomaly of the hazard with every seed. Use a machine
that has no other work.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.run(cmd, selftest.Hazards, only)
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringSliceVar(&only, "only", nil, "only the hazards of these backends"+otherRows)
	return cmd
}

func newSelftestControls() *cobra.Command {
	s := selftestSpec{Options: selftest.Options{Seeds: 1}}
	rounds := 100
	var v virtualSpec
	cmd := &cobra.Command{
		Use:   "controls",
		Short: "run correct locks under random faults and loads, and list each false alarm",
		Long: `controls runs correct locks under random conditions, and lists each false alarm. For each
round the seed determines the lock, the workload, faults that the lock must survive, the
numbers of clients and locks, the TTL, and the times of --hold and --think. In the second
half of the rounds, controls also keeps every core busy. controls keeps the directories of
rounds in which a lock was flagged. With --virtual, controls plays only locks on one Redis
or five, and a round is a trial of a search in virtual time.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rounds < 1 {
				return exit.Usage("--rounds %d: at least one is needed", rounds)
			}
			table := selftest.Controls
			if v.On {
				if err := v.check(cmd); err != nil {
					return err
				}
				table = selftest.VirtualControls
			}
			return s.run(cmd, func([]string) (selftest.Table, error) { return table(rounds), nil }, nil)
		},
	}
	s.registerShared(cmd.Flags())
	v.register(cmd.Flags())
	cmd.Flags().IntVar(&rounds, "rounds", rounds, "number of rounds, or with --virtual: number of trials")
	return cmd
}

func newSelftestSearches() *cobra.Command {
	s := selftestSpec{Options: selftest.Options{Seeds: 20, Seed: 1, Jobs: 1}}
	var only []string
	s.Cluster = registry.Automatic // which server it is the simulator's to say
	strategies, budget := []string{search.Usual}, 5*time.Minute
	cmd := &cobra.Command{
		Use:   "searches",
		Short: "search for known hazards in virtual time, and count the trials until each is found",
		Long: `Each row of the table is an anomaly that torture explore must find in a lock. Each search runs
in a process of its own, with one worker. The processor time of a search is the sum
over all its processes, from the start to the report of the finding. searches does not reduce
or confirm findings.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.run(cmd, func(only []string) (selftest.Table, error) { return selftest.Searches(only, strategies, budget) }, only)
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.Seeds, "seeds", s.Seeds, "number of searches of each row, with consecutive seeds")
	f.Uint64Var(&s.Seed, "seed", s.Seed, "the first seed")
	f.StringSliceVar(&only, "only", nil, "only the rows of these backends"+otherRows)
	f.StringSliceVar(&strategies, "strategies", strategies, "strategies of torture explore to use for every row")
	f.DurationVar(&budget, "budget", budget, "time limit of a search; a search that takes longer fails")
	s.registerOutput(f)
	return cmd
}

// A selftestSpec is what the flags of every selftest say.
type selftestSpec struct {
	selftest.Options
	runs.ServerSpec
	runs.LedgerSpec
}

// register adds the flags of a table that plays each row with some seeds.
func (s *selftestSpec) register(f *pflag.FlagSet) {
	s.registerShared(f)
	f.IntVar(&s.Seeds, "seeds", 10, "number of runs of each row, with consecutive seeds")
	f.DurationVar(&s.Duration, "duration", s.Duration, "duration of each run; 0: the default duration of torture run")
}

// otherRows ends the usage of --only.
const otherRows = "; with --resume and --markdown, the other rows come from --out"

// registerShared adds the flags of all tables.
func (s *selftestSpec) registerShared(f *pflag.FlagSet) {
	f.Uint64Var(&s.Seed, "seed", 1, "the first seed")
	f.IntVar(&s.Jobs, "jobs", 2, "number of parallel runs; too many runs slow each other down")
	s.ServerSpec.Register(f)
	s.LedgerSpec.Register(f)
	s.registerOutput(f)
}

// registerOutput adds the flags that say where a table and its runs go.
func (s *selftestSpec) registerOutput(f *pflag.FlagSet) {
	f.StringVar(&s.Out, "out", "", "directory of the runs (default: results/selftest/<time>)")
	f.BoolVar(&s.Resume, "resume", false, "continue the selftest in --out")
	f.BoolVar(&s.Keep, "keep", false, "keep all run directories, even of runs with the expected result")
	f.StringVar(&s.Markdown, "markdown", "", "write the whole table into this file, between its two markers")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each row instead of the table")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
}

// run runs a table, or the rows of it that are named.
func (s selftestSpec) run(cmd *cobra.Command, table func(only []string) (selftest.Table, error), only []string) error {
	t, err := table(only)
	if err != nil {
		return exit.Usage("%v", err)
	}
	if len(only) > 0 && s.Markdown != "" {
		if !s.Resume {
			return exit.Usage("--only and --markdown: the table in %s would lose its other rows; with --resume, torture takes these rows from --out", s.Markdown)
		}
		s.Only = t.Names()
		if t, err = table(nil); err != nil {
			return exit.Usage("%v", err)
		}
	}
	o, err := s.options()
	if err != nil {
		return err
	}
	return selftest.Run(cmd.Context(), t, o, cmd.OutOrStdout(), cmd.ErrOrStderr())
}

// options checks the flags and fills in what is computed.
func (s selftestSpec) options() (selftest.Options, error) {
	o := s.Options
	if err := s.ServerSpec.Check("a selftest runs only on servers that torture starts"); err != nil {
		return o, err
	}
	switch {
	case o.Seeds < 1:
		return o, exit.Usage("--seeds %d: at least one is needed", o.Seeds)
	case o.Jobs < 1:
		return o, exit.Usage("--jobs %d: at least one is needed", o.Jobs)
	case o.Resume && o.Out == "":
		return o, exit.Usage("--resume needs --out: the directory of the selftest")
	case o.Duration < 0:
		return o, exit.Usage("--duration %s: must not be negative", o.Duration)
	}
	if o.Out == "" {
		o.Out = filepath.Join("results", "selftest", time.Now().Format("20060102-150405"))
	}
	o.Commit = commit
	o.Args = slices.Concat([]string{"--" + runs.NoConfig, "--cluster", s.Cluster}, s.ImageWords())
	if s.Ledger != "" {
		o.Args = append(o.Args, "--ledger", s.Ledger)
	}
	return o, nil
}
