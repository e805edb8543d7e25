package trial

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/nemesis/points/anchor"
	"locktorture/report"
	"locktorture/workloads"
)

// A Work is the act in which clients do the work of a workload while faults strike.
type Work struct {
	Workload workloads.Workload
	// Store opens the resource that the lock protects, and returns the version of its server;
	// nil: memory.
	Store    func(ctx context.Context, d *Dir) (workloads.Resource, []report.Version, error)
	Fencing  string // see harness.Config; "": both stores if leases have tokens, else the plain one
	Careful  bool
	Duration time.Duration // length of the phase with faults
	Seed     uint64        // determines the work of each process and the schedule of faults
	Arrivals harness.Arrivals
	Sections int           // per client; 0: until the duration is over
	Wait     time.Duration // longest wait of a client for a lock; 0: twice the TTL
	Warm     bool          // clients connect before the run
	Faults   Faults

	kinds   map[string]nemesis.Nemesis
	steps   []nemesis.Step
	points  *anchor.Director // nil: the faults strike by time
	servers Servers
	store   workloads.Resource
	backlog harness.Backlog
}

var _ Act = (*Work)(nil)

// UsualFencing returns the default fencing of a lock: both stores if its leases carry tokens, else
// the plain store.
func UsualFencing(t locks.Traits) string {
	if t.Token {
		return harness.FencingBoth
	}
	return harness.FencingOff
}

// Plan opens the store, draws the schedule of the faults or reads a stored one, and writes the
// schedule.
func (w *Work) Plan(ctx context.Context, s Setting, r *report.Run) (err error) {
	w.store, w.servers = &workloads.Memory{}, s.Servers
	if w.Store != nil {
		var versions []report.Version
		if w.store, versions, err = w.Store(ctx, s.Dir); err != nil {
			return err
		}
		r.Versions = append(r.Versions, versions...)
	}
	w.Fencing = cmp.Or(w.Fencing, UsualFencing(s.Lock.Traits))
	r.Fencing, r.Careful = w.Fencing, w.Careful
	return w.PlanFaults(s, r)
}

// PlanFaults chooses the faults and writes their schedule. Acts with clients of their own share
// this part of Plan.
func (w *Work) PlanFaults(s Setting, r *report.Run) (err error) {
	r.Seed, r.Duration = w.Seed, w.Duration
	if w.kinds, r.LeftOut, err = w.Faults.choose(s.World); err != nil {
		return err
	}
	steps, err := w.plan(s, r)
	if err != nil {
		return err
	}
	r.Options.Nemeses = r.Nemeses
	r.Options.FreeWithin += FarthestClock(s.Lock.Traits, steps, lateHeal)
	if err := w.writeSchedule(s.Dir); err != nil {
		return exit.Broken(err)
	}
	return nil
}

// Schedule returns the faults of PlanFaults by name, with their steps.
func (w *Work) Schedule() (map[string]nemesis.Nemesis, []nemesis.Step) { return w.kinds, w.steps }

// plan returns the faults that will strike.
func (w *Work) plan(s Setting, r *report.Run) (steps []nemesis.Step, err error) {
	switch {
	case w.Faults.Points != nil:
		w.points, r.Nemeses, err = w.Faults.direct(s)
		if err != nil {
			return nil, err
		}
		return w.points.Steps(), nil
	case w.Faults.Schedule != "":
		w.steps, r.Nemeses, err = w.Faults.read(s.World)
	default:
		r.Nemeses = slices.Sorted(maps.Keys(w.kinds))
		w.steps, err = w.draw(s.World)
	}
	return w.steps, err
}

// Play runs the clients' work and the faults.
func (w *Work) Play(ctx context.Context, cfg harness.Config) error {
	cfg.Workload, cfg.Resource, cfg.Fencing, cfg.Careful = w.Workload, w.store, w.Fencing, w.Careful
	cfg.Duration, cfg.Seed, cfg.Arrivals, cfg.Sections = w.Duration, w.Seed, w.Arrivals, w.Sections
	cfg.AcquireTimeout, cfg.Warm, cfg.Kinds = w.Wait, w.Warm, w.kinds
	if w.points != nil {
		cfg.AtGate = w.points.AtGate
		cfg.Outside = func(ctx context.Context, f *harness.Faults) error { return w.points.Outside(ctx, f) }
		w.servers.Guard(w.points)
		defer w.servers.Guard(nil)
	}
	run, err := harness.New(cfg)
	if err != nil {
		return err
	}
	err = run.Go(ctx, w.steps)
	w.backlog = run.Backlog()
	return err
}

// Backlog returns the backlog of an open loop, after the work.
func (w *Work) Backlog() harness.Backlog { return w.backlog }

// Close closes the store.
func (w *Work) Close() error {
	if w.store == nil {
		return nil
	}
	return w.store.Close()
}
