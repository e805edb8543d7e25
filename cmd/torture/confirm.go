package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/explore/kept"
	"locktorture/internal/cli"
	"locktorture/internal/suggest"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// A confirmSpec is what the flags of torture confirm say.
type confirmSpec struct {
	run    runSpec // of each round
	flags  *pflag.FlagSet
	Rounds int
	Need   int
	Find   []string
	Exact  bool
	// Stretch is how many times as long all times are; 0: what the schedule needs.
	Stretch int
	JSON    bool

	own *kept.Lock // of somebody's test, if the run is of such a lock
}

func newConfirm(env environment) *cobra.Command {
	s := newConfirmSpec()
	cmd := &cobra.Command{
		Use:   "confirm RUNDIR|schedule.txt",
		Short: "play the faults of a simulated run on real servers, and tell how often it breaks",
		Long: `confirm plays a schedule of faults at points (docs/explore.md) on real servers, with
a real process for each client: each fault strikes at the same message, or the same
step of a client, as in the simulation. It judges each round as every run is judged,
keeps it as a run directory, and tells the rate.

A run directory has its schedule, its flags and its anomalies; beside a schedule
alone --backend names the lock. Of a finding of gotest it has the test binary, too,
which is started as the process of each client. Faults last a fifth and 50 ms longer than they are
written, and clocks jump so much farther: a simulated fault is often just long enough,
to the millisecond, which no real machine keeps. Where a fault strikes servers all
times, those of the lock and of its load included, are four times as long before that
(--stretch): to start a server again takes a machine time that no schedule has. The
phase with faults ends one TTL after the last of them, and when its time is over at
the earliest; what has not struck by three times that does not strike.

A round counts if all faults struck and one of the anomalies of --find was seen. The
finding is confirmed if as many rounds count as --need says.

The rate, with the reason where it is below four in five, is kept in the run directory
(confirmed.json).

exit codes: 0 confirmed, 1 not confirmed, 2 usage, 4 the harness itself failed,
5 a driver failed, 130 interrupted (the rounds so far are told)`,
		Example: `  torture confirm results/runs/latest
  torture confirm late.txt --backend redis-set-del --clients 2 --find foreign-release`,
		Args: cli.OneArg("a run directory or a schedule"),
		RunE: func(cmd *cobra.Command, args []string) error { return confirmAll(cmd, env.locks, s, args[0]) },
	}
	s.register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}

// confirmFlags are the flags of torture run that a round has.
func confirmFlags() []string {
	return []string{"backend", "workload", "clients", "ttl", "duration", "hold", "think", "seed", "fencing", "careful", "locks", "keys",
		"sections", "wait", "free-within", "min-grants", "cluster", "image", "dir", "quiet"}
}

// confirmGroups are the flags of torture confirm.
func confirmGroups() []cli.Group {
	return []cli.Group{
		{Title: "Rounds", Flags: []string{"rounds", "need", "find", "exact", "stretch"}},
		{Title: "What is played (beside a schedule; a run directory has its own)", Flags: []string{"backend", "workload", "ttl", "fencing", "careful", "seed", "duration"}},
		{Title: "Load", Flags: []string{"clients", "locks", "keys", "hold", "think", "sections", "wait"}},
		{Title: "Judging", Flags: []string{"min-grants", "free-within"}},
		{Title: "Servers", Flags: []string{"cluster", "image"}},
		{Title: "Output", Flags: []string{"dir", "json", "quiet"}},
	}
}

// newConfirmSpec has the defaults of a simulated run.
func newConfirmSpec() *confirmSpec {
	s := &confirmSpec{flags: pflag.NewFlagSet("", pflag.ContinueOnError)}
	s.run.register(s.flags)
	for name, value := range map[string]string{
		"backend": "", "workload": "counter", "clients": "3", "ttl": "500ms", "duration": "2s", "hold": "50ms", "think": "20ms", "seed": "1", "min-grants": "5",
	} {
		f := s.flags.Lookup(name)
		_ = f.Value.Set(value) // they are values of the flags' own kinds
		f.DefValue = value
	}
	return s
}

func (s *confirmSpec) register(f *pflag.FlagSet) {
	f.IntVar(&s.Rounds, "rounds", 10, "number of rounds")
	f.IntVar(&s.Need, "need", 0, "rounds that must show it (default: four in five)")
	f.StringSliceVar(&s.Find, "find", nil, "`anomalies` that are looked for, comma separated (default: those of the run; of a schedule alone: all of which the lock can be accused, which an overrun is not)")
	f.BoolVar(&s.Exact, "exact", false, "times as they are written, without room")
	f.IntVar(&s.Stretch, "stretch", 0, "all times so many times as long (default: 4 where a fault moves the clock of a server, stops it or starts it again, else 1)")
	f.BoolVar(&s.JSON, "json", false, "output as one JSON object (docs/files.md)")
	for _, name := range confirmFlags() {
		f.AddFlag(s.flags.Lookup(name))
	}
}

// check refuses what cannot be.
func (s confirmSpec) check() error {
	switch {
	case s.Rounds < 1:
		return usage("--rounds %d: at least one is needed", s.Rounds)
	case s.Need < 0 || s.Need > s.Rounds:
		return usage("--need %d: from 1 to --rounds, %d", s.Need, s.Rounds)
	case s.Stretch < 0 || s.Stretch > mostStretch:
		return usage("--stretch %d: from 1 to %d, 0 for what the schedule needs", s.Stretch, mostStretch)
	case s.Exact && s.Stretch > 1:
		return usage("--exact and --stretch %d: times are as they are written, or longer", s.Stretch)
	case s.run.Backend == "":
		return usage("--backend is missing: which lock does the schedule break?")
	}
	for _, kind := range s.Find {
		if !slices.Contains(checker.Kinds(), kind) {
			return usage("--find: %v", suggest.Among(kind, checker.Kinds()))
		}
	}
	return s.run.serverSpec.check("each round starts servers of its own")
}

// confirmAll plays the rounds.
func confirmAll(cmd *cobra.Command, known map[string]registry.Backend, s *confirmSpec, path string) error {
	surviveReaders()
	faults, err := s.read(cmd, path)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	least := time.Duration(0)
	if !s.Exact {
		if faults, least, err = s.slower(faults); err != nil {
			return err
		}
	}
	s.Need = cmp.Or(s.Need, (4*s.Rounds+4)/5)
	b, err := s.backend(known)
	if err != nil {
		return err
	}
	if _, err := s.run.validate(b, []string{s.run.Workloads}); err != nil {
		return err
	}
	s.run.Wire = noWire
	return s.play(cmd, run{runSpec: s.run, lock: b, workload: s.run.Workloads, seed: s.run.FirstSeed, named: true, points: faults, least: least, own: s.own}, path)
}

// backend is the lock of the rounds.
func (s *confirmSpec) backend(known map[string]registry.Backend) (registry.Backend, error) {
	if s.own == nil {
		return s.run.lookup(known)
	}
	if err := s.own.Check(); err != nil {
		return registry.Backend{}, usage("%v", err)
	}
	return ownBackend(s.own), nil
}

// read takes the schedule, and from a run directory the flags and the anomalies that the
// command line does not name.
func (s *confirmSpec) read(cmd *cobra.Command, path string) (schedule.Schedule, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		faults, err := readPoints(path)
		if err == nil && len(faults) == 0 {
			err = usage("%s has no faults at points (docs/explore.md)", path)
		}
		return faults, err
	}
	r, dir, err := trial.Load(path)
	if err != nil {
		return nil, notRun(path, err)
	}
	faults, err := pointsIn(dir)
	switch {
	case err != nil:
		return nil, usage("%s has no schedule of points to play: %v", path, err)
	case len(faults) == 0:
		return nil, usage("%s was played without faults: there is nothing to play again", path)
	}
	if s.own, err = ownOf(dir.Path); err != nil {
		return nil, err
	}
	if err := s.take(cmd, r); err != nil {
		return nil, err
	}
	if len(s.Find) > 0 {
		return faults, nil
	}
	_, result, _, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		return nil, notRun(path, err)
	}
	if s.Find = search.Kinds(result, nil); len(s.Find) == 0 {
		return nil, usage("%s shows no anomaly of which the lock can be accused; another is looked for with --find", path)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "looking for %s, as in %s\n", orNone(s.Find), path)
	return faults, nil
}
