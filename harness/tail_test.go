package harness_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A mortal is a lock of one process that may die: after some grants nobody gets it, and
// those who wait are not told what became of their requests.
type mortal struct {
	held  chan struct{}
	vague bool // does not know, when it gave up
	mu    sync.Mutex
	left  int // grants before it dies
}

func (l *mortal) Acquire(ctx context.Context, _ string) (locks.Lease, error) {
	select {
	case l.held <- struct{}{}:
		return l.grant(), nil
	case <-ctx.Done():
	}
	if l.vague {
		return nil, errors.New("no answer")
	}
	return nil, locks.ErrNotAcquired
}

func (l *mortal) TryAcquire(context.Context, string) (locks.Lease, error) {
	select {
	case l.held <- struct{}{}:
		return l.grant(), nil
	default:
		return nil, locks.ErrNotAcquired
	}
}

func (l *mortal) grant() locks.Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
	return mortalLease{l, l.left == 0}
}

func (l *mortal) Close() error { return nil }

type mortalLease struct {
	l    *mortal
	last bool
}

func (g mortalLease) Release(context.Context) error {
	if !g.last {
		<-g.l.held
	}
	return nil
}

// TestTail: in the tail a lock that is dead must show it, whatever its waiters answer and
// however the workload asks; one that lives must not be flagged.
func TestTail(t *testing.T) {
	for _, x := range []struct {
		name     string
		ttl      time.Duration
		left     int // 0: it lives
		vague    bool
		workload workloads.Workload
		arrivals harness.Arrivals
		stall    time.Duration // of the machine, in the tail
		deadlock bool
	}{
		{"lives", time.Second, 0, true, workloads.Counter{}, harness.Arrivals{}, 0, false},
		{"lives, all ask at once now and then", time.Second, 0, false, workloads.Scheduler{}, harness.Arrivals{Burst: 3 * time.Second}, 0, false},
		{"dies, waiters know nothing", time.Second, 20, true, workloads.Counter{}, harness.Arrivals{}, 0, true},
		{"the same with a longer life", 2 * time.Second, 20, true, workloads.Counter{}, harness.Arrivals{}, 0, true},
		{"dies at the end", 2 * time.Second, 400, true, workloads.Counter{Config: workloads.Config{Think: workloads.Constant(40 * time.Millisecond)}}, harness.Arrivals{}, 0, true},
		{"dies at the end, and the machine stalls", 2 * time.Second, 400, false, workloads.Counter{Config: workloads.Config{Think: workloads.Constant(40 * time.Millisecond)}}, harness.Arrivals{}, 3 * time.Second, true},
		{"dies, and nobody waits for it", time.Second, 1, false, workloads.Scheduler{}, harness.Arrivals{Burst: time.Minute}, 0, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := checker.Options{Expires: true, Model: "lease", TTL: x.ttl, FreeWithin: x.ttl + 10*time.Millisecond, Retry: 10 * time.Millisecond}
				var file bytes.Buffer
				start := time.Now()
				now := func() int64 { // stands still while the machine stalls, and then jumps
					at, from := time.Since(start), 5500*time.Millisecond
					if at > from && at < from+x.stall {
						at = from
					}
					return int64(at)
				}
				rec := history.NewRecorder(&file, now)
				l := &mortal{held: make(chan struct{}, 1), vague: x.vague, left: x.left}
				run, err := harness.New(harness.Config{
					Clients: 4, Duration: 5 * time.Second, TTL: x.ttl, FreeWithin: o.FreeWithin, Tail: o.Tail(), LongestTail: o.LongestTail(),
					Workload: x.workload, Resource: &workloads.Memory{}, Fencing: harness.FencingOff, Arrivals: x.arrivals,
					Open:  func(context.Context, int, int) (locks.Locker, error) { return l, nil },
					World: &nemesis.World{TTL: x.ttl}, Record: rec.Record, Now: now,
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(run.Go(t.Context(), nil), rec.Close()); err != nil {
					t.Fatal(err)
				}
				h, _, err := history.ReadAll(&file)
				if err != nil {
					t.Fatal(err)
				}
				r := checker.Check(h, o, nil)
				if n := r.Counts.Anomalies["deadlock"]; (n > 0) != x.deadlock {
					t.Errorf("%d deadlocks, in %s, after %d grants", n, time.Since(start), r.Counts.Grants)
				}
				for _, p := range r.Properties {
					for _, a := range p.Anomalies {
						t.Log(a.Sentence)
					}
				}
			})
		})
	}
}
