package harness_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A farLocker takes until the end of the context to acquire, and a while to close.
type farLocker struct{ open *atomic.Int64 }

func (f farLocker) Acquire(ctx context.Context, _ string) (locks.Lease, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (f farLocker) Close() error {
	time.Sleep(20 * time.Millisecond)
	f.open.Add(-1)
	return nil
}

// An interruption ends a run in order also while a thousand clients connect.
func TestEndsWhileClientsConnect(t *testing.T) {
	var open, opened atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err := harness.New(harness.Config{
		Clients: 1000, Duration: time.Minute, TTL: time.Second, Warm: true, Fencing: harness.FencingOff,
		Workload: workloads.Counter{}, Resource: &workloads.Memory{}, World: &nemesis.World{},
		Open: func(context.Context, int, int) (locks.Locker, error) {
			open.Add(1)
			if opened.Add(1) == 10 {
				cancel()
			}
			return farLocker{&open}, nil
		},
		Record: func(op history.Op) (history.Op, error) { return op, nil },
		Now:    func() int64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := run.Go(ctx, nil); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it ended %v after its start", d)
	}
	if n := opened.Load(); n == 0 || n > 100 {
		t.Errorf("%d clients were opened, want the first few", n)
	}
	if n := open.Load(); n != 0 {
		t.Errorf("%d clients are still open", n)
	}
}
