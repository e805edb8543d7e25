package nemesis_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/nemesis"
)

// A worker is a client that can be kept at work, and a server whose clock can be moved.
type worker struct {
	nemesis.Client
	kept  bool // at work now
	moved bool // the clock, while the worker was kept
	idle  bool // comes to no place of work
}

func (w *worker) Name() string { return "redis-1" }

func (w *worker) Linger(_ context.Context, bound time.Duration) (string, func(), error) {
	if w.idle {
		time.Sleep(bound)
		return "", nil, nemesis.ErrNotStruck
	}
	w.kept = true
	return "c1 at work", func() { w.kept = false }, nil
}

func (w *worker) SkewClock(_ context.Context, offset time.Duration, _ float64) error {
	if offset != 0 {
		w.moved = w.kept
	}
	return nil
}

// TestLinger shows that a fault of servers finds the holder at work, that the
// holder goes on a quarter of the TTL later or when the fault is healed, and
// that the fault strikes all the same where nobody comes.
func TestLinger(t *testing.T) {
	step := nemesis.Step{Fault: "clock", Mode: nemesis.ClockAhead, Nodes: []int{0}, Offset: 3 * time.Second, Rate: 1, Holder: 1}
	tests := []struct {
		name  string
		idle  bool
		heal  time.Duration // after the strike
		kept  bool          // right before the heal
		moved bool          // while the client was at work
	}{
		{"healed early", false, 400 * time.Millisecond, true, true},
		{"gone on before", false, 600 * time.Millisecond, false, true},
		{"nobody came", true, time.Second, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &worker{idle: tt.idle}
				world := &nemesis.World{TTL: 2 * time.Second, Quorum: 1, Clients: []nemesis.Client{w}, Nodes: []nemesis.Node{w}}
				seen, heal, err := nemesis.Clock{}.Inject(t.Context(), world, step)
				if err != nil {
					t.Fatal(err)
				}
				if w.moved != tt.moved || strings.Contains(seen, "at work") != tt.moved {
					t.Errorf("struck while at work: %t, said %q", w.moved, seen)
				}
				time.Sleep(tt.heal) // the bubble's clock
				synctest.Wait()
				if w.kept != tt.kept {
					t.Errorf("at work after %v: %t", tt.heal, w.kept)
				}
				if err := heal(t.Context()); err != nil {
					t.Fatal(err)
				}
				if w.kept {
					t.Error("still at work after the heal")
				}
				synctest.Wait()
			})
		})
	}
}

// TestAnotherLingers shows that whoever comes to work first is kept where the drawn client
// does not.
func TestAnotherLingers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle, busy := &worker{idle: true}, &worker{}
		world := &nemesis.World{TTL: 2 * time.Second, Quorum: 1, Clients: []nemesis.Client{idle, busy}, Nodes: []nemesis.Node{busy}}
		step := nemesis.Step{Fault: "clock", Mode: nemesis.ClockAhead, Nodes: []int{0}, Offset: 3 * time.Second, Rate: 1, Holder: 1}
		_, heal, err := nemesis.Clock{}.Inject(t.Context(), world, step)
		if err != nil {
			t.Fatal(err)
		}
		if !busy.moved {
			t.Error("the clock moved while nobody was at work")
		}
		if err := heal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if busy.kept {
			t.Error("still at work after the heal")
		}
	})
}
