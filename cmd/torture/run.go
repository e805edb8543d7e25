package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/trial"
)

// A runSpec is what the flags of a run say.
type runSpec struct {
	Backend  string
	Driver   string            // a command line; "": the backend that is named
	Options  map[string]string // of a driver
	Workload string
	Nemesis  []string
	Duration time.Duration
	Clients  int
	Locks    int
	TTL      time.Duration
	Seed     uint64
	Topology string
	Fencing  string
	Careful  bool
	serverSpec
	loadSpec
	accessSpec

	InProcess  bool
	Schedule   string
	FreeWithin time.Duration
	MinGrants  int
	Engine     string

	Timeout time.Duration
	Memory  int64 // MB

	Expect    string
	Repeat    int
	UntilFail bool

	StopOnViolation bool
	HistoryLimit    int64 // MB; 0: a part of the free disk
	Dir             string
	JSON            bool
	Quiet           bool
}

func newRun(env environment) *cobra.Command {
	var s runSpec
	cmd := &cobra.Command{
		Use:   "run",
		Short: "torture one lock and judge it",
		Example: `  torture run --backend redlock --workload seckill --nemesis pause,clock --duration 30s
  torture run --backend none --workload counter --nemesis none --duration 5s --expect unsafe+lost-update
  torture run --backend etcd-concurrency --nemesis all --repeat 10`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			seeded := cmd.Flags().Changed("seed")
			named := cmd.Flags().Changed("nemesis")
			return runAll(cmd, env.locks, s, seeded, named)
		},
	}
	s.register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}

// register adds the flags of a run.
func (s *runSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.Backend, "backend", "redlock", "the lock (torture list backends)")
	f.StringVar(&s.Driver, "driver", "", "a lock of your own instead: the command of a program that speaks the driver protocol\n(docs/first-driver.md); needs --topology")
	f.StringToStringVar(&s.Options, "option", nil, "an option of a driver, NAME=VALUE; may be repeated")
	f.StringVar(&s.Workload, "workload", "seckill", "what clients do inside it (torture list workloads); all takes them in turn")
	f.StringSliceVar(&s.Nemesis, "nemesis", []string{"pause", "clock"}, "faults, comma separated; all takes every one that is possible, none takes none;\nwithout the flag those of the default that are possible")
	f.DurationVar(&s.Duration, "duration", 30*time.Second, "of the phase with faults")
	f.IntVar(&s.Clients, "clients", 5, "number of clients, each a process of its own")
	f.IntVar(&s.Locks, "locks", 1, "number of locks")
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks that have one")
	f.Uint64Var(&s.Seed, "seed", 0, "fixes the work of each process and the fault schedule (default: drawn)")
	s.serverSpec.register(f)
	f.StringVar(&s.Topology, "topology", "", "of the servers, where a backend has more than one (default: its plain one, or the replicated one for failover)")
	f.StringVar(&s.Fencing, "fencing", "", "off, on or both: which stores the sections work on (default: both where leases have tokens, else off)")
	f.BoolVar(&s.Careful, "careful", true, "clients ask their lease before each store operation and give up when it is over")
	f.BoolVar(&s.InProcess, "in-process", false, "no process for each client: faster, but clients can be neither stopped nor killed")
	f.StringVar(&s.Schedule, "schedule", "", "a stored fault schedule (schedule.jsonl of a run) instead of a drawn one")
	f.DurationVar(&s.FreeWithin, "free-within", 0, "a lock whose holder is gone must be free again after this (default: what the backend declares, else 3 x ttl)")
	f.IntVar(&s.MinGrants, "min-grants", 20, "a run with fewer grants is unknown")
	f.DurationVar(&s.Timeout, "check-timeout", time.Minute, "bound of the linearizability check; beyond it is unknown")
	f.Int64Var(&s.Memory, "check-memory", 2048, "bound of the same, in MB")
	f.StringVar(&s.Expect, "expect", "", "GRADE[+anomaly...]: exactly this grade, and these anomalies among those found")
	f.IntVar(&s.Repeat, "repeat", 1, "run that often, and say how often each verdict came back")
	f.BoolVar(&s.UntilFail, "until-fail", false, "with --repeat: stop at the first run that is not as expected")
	f.BoolVar(&s.StopOnViolation, "stop-on-violation", false, "end the run when the monitor sees the first violation (models mutex and fenced)")
	f.Int64Var(&s.HistoryLimit, "history-limit", 0, "end the run in order when its history has so many MB (default: a quarter of the free disk)")
	f.StringVar(&s.Dir, "dir", "results/runs", "where run directories are made")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each run instead of text")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
	s.loadSpec.register(f)
	s.accessSpec.register(f)
}

// validate checks, for a backend, what can be checked before anything is started.
func (s *runSpec) validate(b registry.Backend) (checker.Expectation, error) {
	if err := s.check(); err != nil {
		return checker.Expectation{}, err
	}
	if s.InProcess && b.Driver != nil {
		return checker.Expectation{}, usage("--in-process: a driver is a process of its own")
	}
	if b.Driver == nil { // a driver tells its traits once it runs
		if err := s.fits(b.Traits); err != nil {
			return checker.Expectation{}, err
		}
	}
	if s.Expect == "" {
		return checker.Expectation{}, nil
	}
	e, err := checker.ParseExpectation(s.Expect)
	if err != nil {
		return e, usage("--expect: %v", err)
	}
	return e, nil
}

// check refuses what cannot be, whatever the lock.
func (s *runSpec) check() error {
	if err := s.serverSpec.check(""); err != nil {
		return err
	}
	if err := s.accessSpec.check(); err != nil {
		return err
	}
	if _, ok := registry.Workloads()[s.Workload]; !ok && s.Workload != allWorkloads {
		return unknownName("workload", s.Workload, registry.Workloads())
	}
	switch {
	case s.Clients < 1:
		return usage("--clients %d: at least one is needed", s.Clients)
	case s.Locks < 1:
		return usage("--locks %d: at least one is needed", s.Locks)
	case s.Duration <= 0:
		return usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return usage("--ttl %s: must be positive", s.TTL)
	case s.TTL > trial.LongestTTL:
		return usage("--ttl %s: at most %s", s.TTL, trial.LongestTTL)
	case s.HistoryLimit < 0:
		return usage("--history-limit %d: must not be negative", s.HistoryLimit)
	case s.Repeat < 1:
		return usage("--repeat %d: at least one is needed", s.Repeat)
	}
	if err := s.loadSpec.check(); err != nil {
		return err
	}
	_, err := s.config()
	return err
}

// fits refuses what the lock cannot do.
func (s *runSpec) fits(t locks.Traits) error {
	if s.TTL < t.LeastTTL {
		return usage("--ttl %s: %s needs at least %s", s.TTL, s.Backend, t.LeastTTL)
	}
	if registry.Workloads()[s.Workload].Reenters && !t.Reentrant {
		return usage("--workload %s: its sections take their lock again, and %s is not reentrant (torture list backends says which locks are)", s.Workload, s.Backend)
	}
	switch s.Fencing {
	case "", harness.FencingOff:
	case harness.FencingOn, harness.FencingBoth:
		if !t.Token {
			return usage("--fencing %s: the leases of %s carry no tokens", s.Fencing, s.Backend)
		}
	default:
		return usage("--fencing %q: off, on or both", s.Fencing)
	}
	return nil
}

// runAll carries out the repetitions and sums them up.
func runAll(cmd *cobra.Command, known map[string]registry.Backend, s runSpec, seeded, named bool) error {
	surviveReaders()
	if s.Driver != "" {
		if cmd.Flags().Changed("backend") {
			return usage("--driver and --backend: one of them")
		}
		s.Backend = "driver"
	}
	if err := s.complete(cmd.Context(), s.Cluster, onCommandLine(cmd, "endpoints")); err != nil {
		return err
	}
	b, err := s.lookup(known)
	if err != nil {
		return err
	}
	expect, err := s.validate(b)
	if err != nil {
		return err
	}
	if !seeded {
		s.Seed = rand.Uint64N(1_000_000)
	}
	worst := exitOK
	for _, name := range workloadsOf(s, b) {
		one := s
		one.Workload = name
		code, err := repeat(cmd, one, b, expect, named)
		if err != nil {
			return err
		}
		worst = exit.Worse(worst, code)
		if code == exitInterrupted || s.UntilFail && code != exitOK {
			break
		}
	}
	if worst != exitOK {
		return exit.Silent(worst)
	}
	return nil
}

// repeat carries out the repetitions of one workload and returns the worst exit code.
func repeat(cmd *cobra.Command, s runSpec, b registry.Backend, expect checker.Expectation, named bool) (worst int, err error) {
	tally, lost := map[string]int{}, losses{}
	for i := range s.Repeat {
		one := s
		one.Seed += uint64(i)
		out, err := runOnce(cmd, one, b, expect, named)
		if err != nil {
			return worst, err
		}
		tally[string(out.result.Grade)]++
		lost.add(out.result)
		worst = exit.Worse(worst, out.code)
		if out.code == exitInterrupted || s.UntilFail && out.code != exitOK {
			break
		}
	}
	if s.Repeat > 1 {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: verdicts over %d seeds from %d: %s\n", s.Workload, s.Repeat, s.Seed, tallyLine(tally))
		for _, line := range lost.lines() {
			fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: %s\n", s.Workload, line)
		}
	}
	return worst, nil
}
