package harness_test

import (
	"context"
	"errors"
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

// A busy is a thief whose looks need 300 ms for an answer: longer than a look may take at first.
type busy struct{ thief }

func (b busy) Probe(ctx context.Context, lock string) ([]locks.Sight, error) {
	select {
	case <-time.After(300 * time.Millisecond):
		return b.thief.Probe(ctx, lock)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestPatientLooks: a server is seen that needs longer for an answer than a look may take at
// first, such as a database on a busy machine, whose connection a look that timed out has closed.
func TestPatientLooks(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var owner string
	lock := thief{&mu, &owner, "c1"}
	seen, start := make(chan string, 1), time.Now()
	s, err := harness.NewScript(harness.Config{
		Clients: 1, TTL: time.Hour, Workload: workloads.Counter{}, Resource: &workloads.Memory{}, Fencing: harness.FencingOff,
		Traits: control.NoneTraits(), World: &nemesis.World{}, Prober: busy{lock},
		Open: func(context.Context, int, int) (locks.Locker, error) { return lock, nil },
		Now:  func() int64 { return int64(time.Since(start)) },
		Record: func(op history.Op) (history.Op, error) {
			if op.F == history.Probe && op.Value != "" {
				select {
				case seen <- op.Value:
				default:
				}
			}
			return op, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err = s.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Client(1).Acquire(t.Context(), "L")
	if err == nil {
		select {
		case <-seen:
		case <-time.After(time.Minute):
			t.Error("no look was answered")
		}
	}
	if err = errors.Join(err, s.End("", nil)); err != nil {
		t.Fatal(err)
	}
}
