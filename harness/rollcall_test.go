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
	"locktorture/checker/invariant"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A ward is a read–write lock of one process, the clients of which look at it every 10 ms. It
// may shut somebody out, and it may prefer writers as a lock may.
type ward struct {
	mu      sync.Mutex
	readers int
	writer  bool
	grants  int
	waiting int // writers
	prefers bool
	shuts   func(client, grants int, shared bool) bool // for good; nil: nobody
	silent  func() bool                                // answers nobody, not even a probe; nil: never
}

// A wardClient is one client of a ward.
type wardClient struct {
	*ward
	client int
}

func (c wardClient) Acquire(ctx context.Context, _ string) (locks.Lease, error) {
	c.mu.Lock()
	c.waiting++
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.waiting--
		c.mu.Unlock()
	}()
	return c.take(ctx, false)
}

func (c wardClient) AcquireShared(ctx context.Context, _ string) (locks.Lease, error) {
	return c.take(ctx, true)
}

func (c wardClient) take(ctx context.Context, shared bool) (locks.Lease, error) {
	for ; ctx.Err() == nil; sleepFor(ctx, 10*time.Millisecond) {
		if c.enter(shared) {
			return wardLease{c.ward, shared}, nil
		}
	}
	return nil, locks.ErrNotAcquired
}

func (c wardClient) enter(shared bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent != nil && c.silent() {
		return false
	}
	held := c.writer || !shared && c.readers > 0 || shared && c.prefers && c.waiting > 0
	if held || c.shuts != nil && c.shuts(c.client, c.grants, shared) {
		return false
	}
	c.grants++
	c.writer = !shared
	if shared {
		c.readers++
	}
	return true
}

func (c wardClient) Close() error { return nil }

// A wardProbe looks at a ward from outside.
type wardProbe struct{ *ward }

func (p wardProbe) Probe(context.Context, string) ([]locks.Sight, error) {
	if p.silent != nil && p.silent() {
		return nil, context.DeadlineExceeded
	}
	return []locks.Sight{{Node: "ward-1"}}, nil
}

func (wardProbe) Close() error { return nil }

func sleepFor(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

type wardLease struct {
	*ward
	shared bool
}

func (l wardLease) Release(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writer = false; l.shared {
		l.readers--
	}
	return nil
}

// TestRollCall: who is refused for good is found, be it a mode or a client, however short the
// waits of a run are, and a lock that is merely unfair is not flagged.
func TestRollCall(t *testing.T) {
	const soon, late = 300 * time.Millisecond, 3 * time.Second
	for _, x := range []struct {
		name     string
		wait     time.Duration
		prefers  bool
		shuts    func(client, grants int, shared bool) bool
		deadlock bool
	}{
		{"nobody is shut out", soon, false, nil, false},
		{"readers, where writers are preferred", soon, true, nil, false},
		{"readers", soon, false, func(_, grants int, shared bool) bool { return shared && grants > 50 }, true},
		{"readers, who wait for long", late, false, func(_, grants int, shared bool) bool { return shared && grants > 50 }, true},
		{"writers", soon, false, func(_, grants int, shared bool) bool { return !shared && grants > 50 }, true},
		{"one client", soon, false, func(client, _ int, _ bool) bool { return client == 2 }, true},
		{"one client, as a reader", late, false, func(client, _ int, shared bool) bool { return client == 2 && shared }, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &ward{prefers: x.prefers, shuts: x.shuts}
				r := judgedWard(t, l, x.wait)
				if n := r.Counts.Anomalies["deadlock"]; (n > 0) != x.deadlock || len(r.Counts.Anomalies) > n {
					t.Errorf("%v after %d grants; want a deadlock: %v", r.Counts.Anomalies, r.Counts.Grants, x.deadlock)
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

// judgedWard returns the verdict on a run of a ward whose clients wait for so long.
func judgedWard(t *testing.T, l *ward, wait time.Duration) checker.Result {
	t.Helper()
	o := checker.Options{Kind: locks.ReadWrite, Expires: true, TTL: time.Second, FreeWithin: 1010 * time.Millisecond, Retry: 10 * time.Millisecond}
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	run, err := harness.New(harness.Config{
		Clients: 4, Duration: 5 * time.Second, TTL: o.TTL, AcquireTimeout: wait, FreeWithin: o.FreeWithin, Tail: o.Tail(), LongestTail: o.LongestTail(),
		Workload: workloads.Document{Config: workloads.Config{Hold: workloads.Constant(2 * time.Millisecond)}}, Resource: &workloads.Memory{}, Fencing: harness.FencingOff,
		Traits: locks.Traits{Kind: locks.ReadWrite},
		Open:   func(_ context.Context, client, _ int) (locks.Locker, error) { return wardClient{l, client}, nil },
		World:  &nemesis.World{TTL: o.TTL}, Record: rec.Record, Now: now, Prober: wardProbe{l},
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
	return checker.Check(h, o, invariant.Document{})
}

// TestSilentInRollCall: a lock whose servers answered nobody for a while during the roll call is not
// called dead, because the harness looks at them until the end.
func TestSilentInRollCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		after := func(d time.Duration) bool { return time.Since(start) > d }
		l := &ward{
			shuts: func(client, _ int, shared bool) bool {
				return client == 2 && shared && after(4700*time.Millisecond) && !after(8*time.Second)
			},
			silent: func() bool { return after(5200*time.Millisecond) && !after(8*time.Second) },
		}
		r := judgedWard(t, l, 300*time.Millisecond)
		if len(r.Counts.Anomalies) > 0 || !after(8*time.Second) {
			t.Errorf("%v after %v", r.Counts.Anomalies, time.Since(start))
			for _, p := range r.Properties {
				for _, a := range p.Anomalies {
					t.Log(a.Sentence)
				}
			}
		}
	})
}
