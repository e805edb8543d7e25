package harness_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// An eternal is a lock whose leases, and whose server, tell an end that lies beyond all time.
type eternal struct {
	mortal
	left time.Duration
}

type eternalLease struct {
	locks.Lease
	left time.Duration
}

func (l *eternal) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	g, err := l.mortal.Acquire(ctx, name)
	return eternalLease{g, l.left}, err
}

func (g eternalLease) Ask(context.Context) (time.Duration, error) { return g.left, nil }

func (l *eternal) Probe(context.Context, string) ([]locks.Sight, error) {
	return []locks.Sight{{Node: "n1", Owner: "x", Left: l.left}}, nil
}

// TestForever: a validity of 292 years is one without end, not one that is over.
func TestForever(t *testing.T) {
	for _, left := range []time.Duration{locks.Forever, locks.Forever - 1} {
		synctest.Test(t, func(t *testing.T) {
			var file bytes.Buffer
			start := time.Now()
			now := func() int64 { return int64(time.Since(start)) }
			rec := history.NewRecorder(&file, now)
			l := &eternal{mortal{held: make(chan struct{}, 1)}, left}
			run, err := harness.New(harness.Config{
				Clients: 2, Duration: time.Second, TTL: time.Second, Careful: true,
				Workload: workloads.Counter{Config: workloads.Config{Think: workloads.Constant(time.Millisecond)}}, Resource: &workloads.Memory{}, Fencing: harness.FencingOff,
				Traits: locks.Traits{Bounded: true}, Prober: l,
				Open:  func(context.Context, int, int) (locks.Locker, error) { return l, nil },
				World: &nemesis.World{}, Record: rec.Record, Now: now,
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
			told := 0
			for _, op := range h {
				if op.F == history.Ask && op.Type == history.OK || op.F == history.Probe {
					told++
					if op.UntilMin < 0 || op.UntilMax < int64(locks.Forever)-1 {
						t.Fatalf("%s: %d to %d", op.F, op.UntilMin, op.UntilMax)
					}
				}
			}
			r := checker.Check(h, checker.Options{Bounded: true, TTL: time.Second, FreeWithin: time.Second}, invariant.Counter{})
			if told < 10 || r.Failed || len(r.Counts.Anomalies) > 0 {
				t.Errorf("%d told, %s", told, r.Sentence)
			}
		})
	}
}
