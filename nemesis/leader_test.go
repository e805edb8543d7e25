package nemesis_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/nemesis"
)

// The leader is struck in every way, another one leads, and after the heal all
// servers are there.
func TestLeader(t *testing.T) {
	for _, topology := range []string{"etcd-3", "zookeeper-3"} {
		t.Run(topology, func(t *testing.T) {
			c, w := serve(t, topology, 1)
			w.Leader = c.Leader
			for mode, seen := range map[string]string{
				nemesis.LeaderKill: "killed", nemesis.LeaderStop: "stopped", nemesis.LeaderCut: "cut from the other servers",
			} {
				ctx, cancel := short()
				old, err := c.Leader(ctx)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				heal := inject(t, w, nemesis.Leader{}, nemesis.Step{Mode: mode, Nodes: []int{0, 1, 2}}, "leader "+c.Nodes[old].Name()+" "+seen)
				until(t, mode+": another leads", patience, func() bool {
					ctx, cancel := short()
					defer cancel()
					now, err := c.Leader(ctx)
					return err == nil && now != old
				})
				heal()
				until(t, mode+": all have a leader again", patience, func() bool {
					ctx, cancel := short()
					defer cancel()
					_, err := c.Leader(ctx)
					return err == nil
				})
			}
		})
	}
}

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
