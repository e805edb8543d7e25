package harness_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A silent locker grants everything and never answers a release.
type silent struct{ locks.Locker }

type silentLease struct{ locks.Lease }

func (s silent) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l, err := s.Locker.Acquire(ctx, name)
	return silentLease{l}, err
}

func (silentLease) Release(context.Context) error { return errors.New("no answer") }

// A section that holds two locks gives back the second although the release of the first was
// not answered: under the next process number, because a process ends with an unknown outcome.
func TestTwoReleasesUnanswered(t *testing.T) {
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	run, err := harness.New(harness.Config{
		Clients: 2, Duration: 200 * time.Millisecond, TTL: 200 * time.Millisecond, Seed: 1, FreeWithin: freeWithin, Sections: 3,
		Workload: workloads.Transfer{Config: workloads.Config{Locks: []string{"a", "b"}}}, Resource: &workloads.Memory{}, Fencing: harness.FencingOff,
		Traits: control.NoneTraits(), World: &nemesis.World{TTL: 200 * time.Millisecond}, Record: rec.Record, Now: now,
		Open: func(context.Context, int, int) (locks.Locker, error) { return silent{control.NewNone("p")}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Go(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, _, err := history.ReadAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	released := map[int64]bool{}
	for _, op := range h {
		if op.F == history.Release && op.Type == history.Info {
			released[op.Lease] = true
		}
	}
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.OK && !released[op.Lease] {
			t.Errorf("lease %d was never given back", op.Lease)
		}
	}
	if len(released) < 4 {
		t.Errorf("only %d leases were given back", len(released))
	}
}
