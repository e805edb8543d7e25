package harness_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A thief is a lock of one process that grants everybody, and whose releases free it,
// whosever it is. It is its own prober.
type thief struct {
	mu    *sync.Mutex
	owner *string
	name  string
}

type stolen struct{ thief }

func (l thief) Acquire(context.Context, string) (locks.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.owner = l.name
	return stolen{l}, nil
}

func (thief) Close() error { return nil }

func (l stolen) Owner() string { return l.name }

func (l stolen) Release(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.owner = ""
	return nil
}

func (l thief) Probe(context.Context, string) ([]locks.Sight, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return []locks.Sight{{Node: "n1", Owner: *l.owner, Left: -1}}, nil
}

// TestCloselyLooked: between two looks at their usual times a lock is granted to one client,
// to another, and freed by the first. Looks directly before and after that release show it.
func TestCloselyLooked(t *testing.T) {
	var mu sync.Mutex
	var owner string
	var seen []string
	var clock int64
	s, err := harness.NewScript(harness.Config{
		Clients: 2, TTL: time.Hour, Workload: workloads.Counter{}, Resource: &workloads.Memory{}, Fencing: harness.FencingOff,
		Traits: control.NoneTraits(), World: &nemesis.World{}, Prober: thief{mu: &mu, owner: &owner},
		Open: func(_ context.Context, client, _ int) (locks.Locker, error) {
			return thief{&mu, &owner, []string{"", "c1", "c2"}[client]}, nil
		},
		Now: func() int64 {
			mu.Lock()
			defer mu.Unlock()
			clock++
			return clock
		},
		Record: func(op history.Op) (history.Op, error) {
			mu.Lock()
			defer mu.Unlock()
			clock++
			op.Time = clock
			if op.F == history.Probe {
				seen = append(seen, op.Value)
				if asked, known := op.Began(); !known || asked >= op.Time {
					t.Errorf("a look that was recorded at %d was asked for at %d (%t), want before", op.Time, asked, known)
				}
			}
			return op, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := s.Begin(ctx); err != nil {
		t.Fatal(err)
	}
	g, err := s.Client(1).Acquire(ctx, "L")
	if err == nil {
		_, err = s.Client(2).Acquire(ctx, "L")
	}
	if err = errors.Join(err, s.Client(1).Release(ctx, g)); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	got := slices.Clone(seen)
	mu.Unlock()
	if err := s.End("", nil); err != nil {
		t.Fatal(err)
	}
	i := slices.Index(got, "c2")
	if i < 0 || i+1 == len(got) || got[i+1] != "" {
		t.Errorf("the servers were seen to keep the lock for %q, want c2 and then nobody", got)
	}
}
