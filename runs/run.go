package runs

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/wire/owner"
)

// A Run is one of those that the flags ask for. It has a copy of them: nothing writes to the
// flags once they are parsed.
type Run struct {
	Spec     // what is the same for all of them
	Lock     registry.Backend
	Theirs   registry.External // the user's servers, if it is on such
	Workload string
	Seed     uint64
	Named    bool                // the command line names the faults
	Expected checker.Expectation // of --expect
	Points   schedule.Schedule   // of --schedule, if it is one of points; else nil
	Least    time.Duration       // that its phase with faults lasts, see trial.Faults
	Own      Own                 // the lock of somebody's test; nil: Lock is opened
}

// An Own is the lock of somebody's test, each client a process of the test's binary.
type Own interface {
	Open(ctx context.Context, o driver.Open, log io.Writer) (locks.Locker, error)
	Names() *owner.Names
}

// Validate checks, for a backend and its workloads, what can be checked before anything is
// started.
func (s Spec) Validate(b registry.Backend, workloads []string) (checker.Expectation, error) {
	if err := s.Check(); err != nil {
		return checker.Expectation{}, err
	}
	if s.InProcess && b.Driver != nil {
		return checker.Expectation{}, exit.Usage("--in-process: not with --driver, because a driver is a process")
	}
	for _, name := range workloads {
		if b.Driver != nil {
			break // it tells its traits once it runs
		}
		if err := s.fits(name, b.Traits); err != nil {
			return checker.Expectation{}, err
		}
	}
	return ParseExpect(s.Expect)
}

// fits refuses what the lock cannot do under a workload.
func (s Spec) fits(workload string, t locks.Traits) error {
	if s.TTL < t.LeastTTL {
		return exit.Usage("--ttl %s: %s needs at least %s", s.TTL, s.Name(), t.LeastTTL)
	}
	if why := registry.Workloads()[workload].Cannot(t); why != "" {
		return exit.Usage("--workload %s does not go with %s: %s (what each lock offers: torture list backends NAME)", workload, s.Name(), why)
	}
	if meets := t.Kind == locks.CountDownLatch || t.Kind == locks.DoubleBarrier; meets && (s.Locks > 1 || s.Keys > 1) {
		return exit.Usage("--locks and --keys: must be 1, because all clients meet at one %s", t.Kind)
	}
	switch s.Fencing {
	case "", harness.FencingOff:
	case harness.FencingOn, harness.FencingBoth:
		if !t.Token {
			return exit.Usage("--fencing %s: the leases of %s carry no tokens", s.Fencing, s.Name())
		}
	default:
		return exit.Usage("--fencing %q: must be off, on or both", s.Fencing)
	}
	return nil
}

// All carries out all runs and sums them up.
func All(cmd Command, known map[string]registry.Backend, s Spec) error {
	switch {
	case s.Driver != "" && cmd.Flags().Changed("backend"):
		return exit.Usage("--driver and --backend: use only one of them")
	case s.Driver == "" && cmd.Flags().Changed("driver"):
		return exit.Usage("--driver: a command is needed, such as 'python3 my_lock.py'")
	}
	theirs, err := s.AccessSpec.Read(cmd.Context(), s.Cluster, OnCommandLine(cmd, "endpoints"))
	if err != nil {
		return err
	}
	b, err := s.Lookup(known)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("ttl") {
		s.TTL = max(s.TTL, b.Traits.LeastTTL)
	}
	names := s.workloads(b, cmd.Flags().Changed("workload"))
	expect, err := s.Validate(b, names)
	if err != nil {
		return err
	}
	if err := s.engine(b); err != nil {
		return err
	}
	seed := s.FirstSeed
	if !cmd.Flags().Changed("seed") {
		seed = rand.Uint64N(1_000_000)
	}
	points, err := ReadPoints(s.Schedule)
	if err != nil {
		return err
	}
	worst := exit.OK
	for _, name := range names {
		code, err := repeat(cmd, runOnce, Run{
			Spec: s, Lock: b, Theirs: theirs, Workload: name, Seed: seed, Named: cmd.Flags().Changed("nemesis"), Expected: expect, Points: points,
		})
		if err != nil {
			return err
		}
		worst = exit.Worse(worst, code)
		if code == exit.Interrupted || s.UntilFail && code != exit.OK {
			break
		}
	}
	return exit.Silent(worst)
}

// repeat carries out the repetitions of a run, with seeds that follow each other, and returns
// the worst exit code. once carries out one of them. Its error ends them, but not without the summary
// of the runs before.
func repeat(cmd Command, once func(Command, Run) (outcome, error), first Run) (worst int, err error) {
	tally, lost := map[string]int{}, report.Losses{}
	for i := range first.Repeat {
		var out outcome
		if out, err = once(cmd, first.again(uint64(i))); err != nil {
			break
		}
		tally[string(out.result.Grade)]++
		lost.Add(out.result)
		worst = exit.Worse(worst, out.code)
		if out.code == exit.Interrupted || first.UntilFail && out.code != exit.OK {
			break
		}
	}
	if first.Repeat > 1 && len(tally) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: %d runs planned, with seeds from %d on; verdicts: %s\n", first.Workload, first.Repeat, first.Seed, tallyLine(tally))
		for _, line := range lost.Lines() {
			fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s: %s\n", first.Workload, line)
		}
	}
	return worst, err
}

// again is the same run with a later seed.
func (r Run) again(later uint64) Run {
	r.Seed += later
	return r
}
