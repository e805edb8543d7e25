package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"locktorture/internal/wire"
)

// A Scheduler is a cron job on several instances: each tick fires on all of them, and the one that
// gets the lock runs the job. The others do not wait. The keys of a lock:
//
//	<lock>/tick        the tick that is due, "2026-11-21T02:00"
//	<lock>/run/<tick>  who ran the job of that tick
//
// The run is one write, so any prefix of a section is harmless.
type Scheduler struct{ Config }

var _ Workload = Scheduler{}

// TickLayout is the format of a tick.
const TickLayout = "2006-01-02T15:04"

// firstTick is the first tick of every run.
const firstTick = "2026-11-21T00:00"

// TickKey returns the key with the tick that is due.
func TickKey(lock string) string { return wire.Key(lock, "tick") }

// RunKey returns the key with the client that ran the job of a tick.
func RunKey(lock, tick string) string { return wire.Key(lock, "run/"+tick) }

// Init makes the first tick due for every lock.
func (w Scheduler) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "scheduler", TickKey, firstTick)
}

// Next draws the lock, the times and a name for the run.
func (w Scheduler) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "scheduler")
	section.Try = true
	name := tag(r, process)
	section.Run = func(ctx context.Context, s Store) error {
		tick, err := s.Read(ctx, TickKey(lock))
		if err != nil {
			return err
		}
		ran, err := s.Read(ctx, RunKey(lock, tick))
		if err != nil {
			return err
		}
		if ran == "" {
			return s.Write(ctx, RunKey(lock, tick), name)
		}
		at, err := time.Parse(TickLayout, tick)
		if err != nil {
			return fmt.Errorf("key %s holds %q, which is no tick: %w", TickKey(lock), tick, err)
		}
		return s.Write(ctx, TickKey(lock), at.Add(time.Hour).Format(TickLayout))
	}
	return section
}
