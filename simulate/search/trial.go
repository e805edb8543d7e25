package search

import (
	"context"
	"fmt"
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry/onredis"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// A Trial is a world and a schedule of faults in it.
type Trial struct {
	Order    inside.Order
	Schedule schedule.Schedule
	Late     time.Duration // see simulate.Config
}

// An Outcome is the result of a trial.
type Outcome struct {
	Trial   Trial
	Struck  schedule.Schedule // the faults that had a target
	Result  checker.Result
	Run     *simulate.Result
	History history.History
}

// An Arena plays trials one at a time, on servers of its own for a lock.
type Arena struct {
	Why       string            // kind of the servers, with the reason for the choice
	Driver    *machine.Program  // see simulate.Config; set before the first trial
	Processor int               // see simulate.Config; set before the first trial
	Cluster   *simulate.Cluster // the servers of a cluster; set before the first trial
	program   *machine.Program
	lock      onredis.Lock
	invariant checker.Invariant
	servers   []server.Server
}

// NewArena starts the servers that an order needs, except those of a cluster, which start with
// each trial. inv is the invariant of the order's workload.
func NewArena(ctx context.Context, p *machine.Program, o inside.Order, inv checker.Invariant) (*Arena, error) {
	l, err := o.Lock()
	if err != nil {
		return nil, err
	}
	a := &Arena{Why: o.Cluster(), program: p, lock: l, invariant: inv}
	if o.Cluster() == "" {
		a.servers, a.Why, err = server.Start(ctx, l.Nodes, l.Pushes)
	}
	return a, err
}

// Close stops the servers.
func (a *Arena) Close() error { return server.CloseAll(a.servers) }

// Play plays a trial and judges it. An error means that the simulator failed or the schedule does
// not fit the world.
func (a *Arena) Play(ctx context.Context, t Trial) (*Outcome, error) {
	held := t.HeldTo(a.lock)
	o := t.Order
	o.FreeWithin, o.Tail, o.LongestTail = held.FreeWithin, held.Tail(), held.LongestTail()
	if o.Fencing == "" {
		o.Fencing = trial.UsualFencing(a.lock.Traits)
	}
	out, names := &Outcome{Trial: t}, o.Names()
	var err error
	out.Run, err = simulate.Run(ctx, simulate.Config{
		Order: o, Schedule: t.Schedule, Late: t.Late, Program: a.program, Driver: a.Driver, Servers: a.servers, Cluster: a.Cluster, Processor: a.Processor,
		Tap: func(client, _ int) cluster.Tap { return names.Tap(client) },
		Record: func(op history.Op) error {
			out.History = append(out.History, names.Named(op))
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("%w\nseed %d, schedule:\n%s", err, o.Seed, t.Schedule)
	}
	out.Struck = struck(out.Run.Struck)
	out.Result = checker.Check(out.History, held, a.invariant)
	return out, nil
}

// struck returns the decisions that had a target.
func struck(all []simulate.Strike) (s schedule.Schedule) {
	for _, one := range all {
		if one.At != simulate.Never && one.Why == "" {
			s = append(s, one.Decision)
		}
	}
	return s
}

// Limits of the linearizability check of a trial, which is short.
const (
	timeout = 10 * time.Second
	memory  = 1 << 30
)

// HeldTo returns the options by which a trial is judged. Other runs are judged by the same
// rules.
func (t Trial) HeldTo(l onredis.Lock) checker.Options {
	o := t.Order
	cfg := trial.Config{
		TTL: o.TTL, FreeWithin: o.FreeWithin,
		Options: checker.Options{Workload: o.Workload, MinGrants: 1, Timeout: timeout, Memory: memory},
	}
	held := cfg.HeldTo(trial.Lock{Traits: l.Traits, Retry: l.Retry})
	held.FreeWithin += t.farthestClock(l)
	return held
}

// farthestClock returns the farthest jump of a clock, which extends the time in which a lock must
// become free: a key that was set while the clock was ahead lives that much longer once the clock
// is right again.
func (t Trial) farthestClock(l onredis.Lock) (farthest time.Duration) {
	if l.Traits.LeastTTL == 0 {
		return 0
	}
	for _, d := range t.Schedule {
		farthest = max(farthest, d.By.Abs())
	}
	return farthest
}
