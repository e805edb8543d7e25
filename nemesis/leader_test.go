package nemesis_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/nemesis"
)

// An election may take longer than the limit of a short action, as it does on a busy machine.
func TestLeaderWaitsForTheElection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := shapeOf(1, 3, 2)
		for i := range w.Nodes {
			w.Nodes[i] = obedient{shape{name: "A"}}
		}
		w.Leader = func(ctx context.Context) (int, error) {
			if time.Since(start) < 20*time.Second {
				return 0, ctx.Err()
			}
			return 1, ctx.Err()
		}
		_, heal, err := nemesis.Leader{}.Inject(t.Context(), w, nemesis.Step{Mode: nemesis.LeaderStop, Nodes: []int{0, 1, 2}})
		if err != nil {
			t.Fatal(err)
		}
		if err := heal(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// An obedient node stops and goes on as it is told.
type obedient struct{ shape }

func (obedient) Pause(context.Context) error  { return nil }
func (obedient) Resume(context.Context) error { return nil }

func TestLeaderWithout(t *testing.T) {
	w := shapeOf(1, 3, 2)
	if err := (nemesis.Leader{}).Supports(w); err == nil {
		t.Error("servers without a leader have one")
	}
	w.Leader = nil
	if err := (nemesis.Leader{}).Check(w, nemesis.Step{Mode: "poke", Nodes: []int{0, 1, 2}}); err == nil {
		t.Error("an unknown mode is accepted")
	}
	if err := (nemesis.Leader{}).Check(w, nemesis.Step{Mode: nemesis.LeaderKill, Nodes: []int{0}}); err == nil {
		t.Error("a step that names one node is accepted")
	}
}
