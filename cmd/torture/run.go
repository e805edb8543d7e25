package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/explore/kept"
	"locktorture/harness"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/report"
)

// A run is one of those that the flags ask for. It has a copy of them: nothing writes to the
// flags once they are parsed.
type run struct {
	runSpec  // what is the same for all of them
	lock     registry.Backend
	theirs   registry.External // the user's servers, if it is on such
	workload string
	seed     uint64
	named    bool                // the command line names the faults
	expect   checker.Expectation // of --expect
	points   schedule.Schedule   // of --schedule, if it is one of points; else nil
	least    time.Duration       // that its phase with faults lasts, see trial.Faults
	own      *kept.Lock          // the lock of somebody's test; nil: it is lock that is opened
}

func newRun(env environment) *cobra.Command {
	var s runSpec
	cmd := &cobra.Command{
		Use:   "run",
		Short: "torture one lock and judge it",
		Example: `  torture run --backend redlock --workload seckill --nemesis pause,clock --duration 30s
  torture run --backend none --workload counter --nemesis none --expect unsafe+lost-update
  torture run --backend etcd-concurrency --nemesis all --repeat 10
  torture run --driver 'python3 my_lock.py' --topology redis --nemesis pause`,
		Args: cli.NoArgs,
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

// validate checks, for a backend and its workloads, what can be checked before anything is
// started.
func (s runSpec) validate(b registry.Backend, workloads []string) (checker.Expectation, error) {
	if err := s.check(); err != nil {
		return checker.Expectation{}, err
	}
	if s.InProcess && b.Driver != nil {
		return checker.Expectation{}, usage("--in-process: a driver is a process of its own")
	}
	for _, name := range workloads {
		if b.Driver != nil {
			break // it tells its traits once it runs
		}
		if err := s.fits(name, b.Traits); err != nil {
			return checker.Expectation{}, err
		}
	}
	return parseExpect(s.Expect)
}

// fits refuses what the lock cannot do under a workload.
func (s runSpec) fits(workload string, t locks.Traits) error {
	if s.TTL < t.LeastTTL {
		return usage("--ttl %s: %s needs at least %s", s.TTL, s.name(), t.LeastTTL)
	}
	if why := registry.Workloads()[workload].Cannot(t); why != "" {
		return usage("--workload %s does not go with %s: %s (what each lock offers: torture list backends NAME)", workload, s.name(), why)
	}
	if meets := t.Kind == locks.CountDownLatch || t.Kind == locks.DoubleBarrier; meets && (s.Locks > 1 || s.Keys > 1) {
		return usage("--locks and --keys: all clients meet at one %s", t.Kind)
	}
	switch s.Fencing {
	case "", harness.FencingOff:
	case harness.FencingOn, harness.FencingBoth:
		if !t.Token {
			return usage("--fencing %s: the leases of %s carry no tokens", s.Fencing, s.name())
		}
	default:
		return usage("--fencing %q: off, on or both", s.Fencing)
	}
	return nil
}

// runAll carries out all runs and sums them up.
func runAll(cmd *cobra.Command, known map[string]registry.Backend, s runSpec, seeded, named bool) error {
	surviveReaders()
	switch {
	case s.Driver != "" && cmd.Flags().Changed("backend"):
		return usage("--driver and --backend: one of them")
	case s.Driver == "" && cmd.Flags().Changed("driver"):
		return usage("--driver: a command is needed, such as 'python3 my_lock.py'")
	}
	theirs, err := s.accessSpec.read(cmd.Context(), s.Cluster, onCommandLine(cmd, "endpoints"))
	if err != nil {
		return err
	}
	b, err := s.lookup(known)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("ttl") {
		s.TTL = max(s.TTL, b.Traits.LeastTTL)
	}
	names := s.workloads(b, cmd.Flags().Changed("workload"))
	expect, err := s.validate(b, names)
	if err != nil {
		return err
	}
	if err := s.engine(b); err != nil {
		return err
	}
	seed := s.FirstSeed
	if !seeded {
		seed = rand.Uint64N(1_000_000)
	}
	points, err := readPoints(s.Schedule)
	if err != nil {
		return err
	}
	worst := exitOK
	for _, name := range names {
		code, err := repeat(cmd, run{
			runSpec: s, lock: b, theirs: theirs, workload: name, seed: seed, named: named, expect: expect, points: points,
		})
		if err != nil {
			return err
		}
		worst = exit.Worse(worst, code)
		if code == exitInterrupted || s.UntilFail && code != exitOK {
			break
		}
	}
	return exit.Silent(worst)
}

// repeat carries out the repetitions of a run, with seeds that follow each other, and returns
// the worst exit code.
func repeat(cmd *cobra.Command, first run) (worst int, err error) {
	tally, lost := map[string]int{}, report.Losses{}
	for i := range first.Repeat {
		out, err := runOnce(cmd, first.again(uint64(i)))
		if err != nil {
			return worst, err
		}
		tally[string(out.result.Grade)]++
		lost.Add(out.result)
		worst = exit.Worse(worst, out.code)
		if out.code == exitInterrupted || first.UntilFail && out.code != exitOK {
			break
		}
	}
	if first.Repeat > 1 {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: verdicts over %d seeds from %d: %s\n", first.workload, first.Repeat, first.seed, tallyLine(tally))
		for _, line := range lost.Lines() {
			fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: %s\n", first.workload, line)
		}
	}
	return worst, nil
}

// again is the same run with a later seed.
func (r run) again(later uint64) run {
	r.seed += later
	return r
}
