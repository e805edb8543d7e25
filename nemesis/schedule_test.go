package nemesis_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// plan is Plan that must succeed.
func plan(t *testing.T, seed uint64, w *nemesis.World, kinds nemesis.Kinds, d time.Duration) []nemesis.Step {
	t.Helper()
	steps, err := nemesis.Plan(seeded(seed), w, kinds, d)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return steps
}

func TestPlanIsFixedByTheSeed(t *testing.T) {
	w := shapeOf(5, 5, 3)
	a, b := plan(t, 7, w, all(), time.Minute), plan(t, 7, w, all(), time.Minute)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("one seed, two schedules:\n%s", diff)
	}
	if cmp.Equal(a, plan(t, 8, w, all(), time.Minute)) {
		t.Error("two seeds, one schedule")
	}
}

var clientFaults = []string{"client-clock", "hold", "kill-client", "pause"}

// What holds of every schedule, over many seeds, worlds and choices of faults.
func TestPlanKeepsItsRules(t *testing.T) {
	worlds := map[string]*nemesis.World{"one": shapeOf(5, 1, 1), "five": shapeOf(5, 5, 3), "three": shapeOf(3, 3, 2)}
	choices := []nemesis.Kinds{all(), only("pause"), only("clock"), only("pause", "kill-client"), only("partition", "restart", "latency"), only("hold", "latency")}
	for name, w := range worlds {
		if name == "one" {
			w.Peer = nil
		}
		for _, kinds := range choices {
			for seed := range uint64(100) {
				const duration = 30 * time.Second
				steps := plan(t, seed, w, kinds, duration)
				lanes := map[bool][]nemesis.Step{}
				struck := map[string]int{}
				for i, s := range steps {
					if s.N != i+1 || i > 0 && s.At < steps[i-1].At {
						t.Fatalf("%s, seed %d: step %d is number %d at %v", name, seed, i, s.N, s.At)
					}
					if end := s.At + s.For + s.Delay; end > duration-w.TTL/4 || struck[s.Fault] > 0 && end > duration-w.TTL {
						t.Errorf("%s, seed %d: step %d ends at %v of %v", name, seed, s.N, end, duration)
					}
					struck[s.Fault]++
					lane := slices.Contains(clientFaults, s.Fault)
					lanes[lane] = append(lanes[lane], s)
					for _, o := range steps[:i] {
						if s.At <= o.At+o.For && (meet(s.Clients, o.Clients) || meet(s.Nodes, o.Nodes)) {
							t.Errorf("%s, seed %d: steps %+v and %+v strike one target at the same time", name, seed, o, s)
						}
					}
					if c, ok := kinds[s.Fault].(nemesis.Checker); ok && c.Check(w, s) != nil {
						t.Errorf("%s, seed %d: step %+v: %v", name, seed, s, c.Check(w, s))
					}
				}
				for _, l := range lanes {
					for i := 1; i < len(l); i++ {
						if gap := l[i].At - l[i-1].At - l[i-1].For; gap < w.TTL/10 {
							t.Errorf("%s, seed %d: %v between steps %d and %d of a lane", name, seed, gap, l[i-1].N, l[i].N)
						}
					}
				}
				if got := slices.Sorted(maps.Keys(struck)); !slices.Equal(got, slices.Sorted(maps.Keys(kinds))) {
					t.Errorf("%s, seed %d: strikes %v only", name, seed, got)
				}
			}
		}
	}
}

func meet(a, b []int) bool {
	return slices.ContainsFunc(a, func(v int) bool { return slices.Contains(b, v) })
}

// The kinds of a lane strike equally often, give or take what the end leaves no room for.
func TestPlanTakesTurns(t *testing.T) {
	for seed := range uint64(20) {
		count := map[string]int{}
		for _, s := range plan(t, seed, shapeOf(5, 5, 3), only("clock", "restart", "partition"), 2*time.Minute) {
			count[s.Fault]++
		}
		least, most := count["clock"], count["clock"]
		for _, n := range count {
			least, most = min(least, n), max(most, n)
		}
		if least < 10 || most-least > 3 {
			t.Errorf("seed %d: %v", seed, count)
		}
	}
}

// A quorum forgives what happens to a minority of clocks, so that a run of 30
// seconds must move a majority ahead, several times, in nearly every seed.
func TestPlanMovesClocksThatMatter(t *testing.T) {
	rare := 0
	for seed := range uint64(100) {
		hits := 0
		for _, s := range plan(t, seed, shapeOf(5, 5, 3), only("clock"), 30*time.Second) {
			if s.Mode == nemesis.ClockAhead && len(s.Nodes) >= 3 {
				hits++
			}
		}
		if hits < 3 {
			rare++
		}
	}
	t.Logf("%d of 100 seeds move a majority ahead fewer than 3 times", rare)
	if rare > 3 {
		t.Errorf("%d of 100 seeds move a majority ahead fewer than 3 times", rare)
	}
}

func TestPlanRefuses(t *testing.T) {
	bare := &nemesis.World{TTL: time.Second, Nodes: []nemesis.Node{plainNode("A")}}
	tests := []struct {
		name  string
		w     *nemesis.World
		kinds nemesis.Kinds
		d     time.Duration
		want  string
	}{
		{"no time", shapeOf(5, 1, 1), only("pause"), 2 * time.Second, "too short for fault pause"},
		{"no TTL", &nemesis.World{}, only("pause"), time.Minute, "no TTL"},
		{"no clients", bare, only("kill-client"), time.Minute, "fault kill-client: there is no client"},
		{"no victims", bare, only("pause"), time.Minute, "neither a client nor a server"},
		{"no clock", bare, only("clock"), time.Minute, "fault clock: A cannot be given a clock of its own"},
		{"no restart", bare, only("restart"), time.Minute, "fault restart: A cannot be killed and started again"},
		{"no links", bare, only("latency"), time.Minute, "no link between a client and a server"},
		{"no partition", bare, only("partition"), time.Minute, "no link between a client and a server"},
		{"no replica", bare, only("failover"), time.Minute, "no replica"},
		{"no peers", bare, nemesis.Kinds{"p": nemesis.Partition{Modes: []string{nemesis.PartitionAsymmetric}}}, time.Minute, "no link from one server to another"},
		{"no such mode", shapeOf(5, 1, 1), nemesis.Kinds{"p": nemesis.Partition{Modes: []string{"sideways"}}}, time.Minute, `mode "sideways" is not one of`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := nemesis.Plan(seeded(1), tt.w, tt.kinds, tt.d)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("steps %v, error %v, want %q", steps, err, tt.want)
			}
		})
	}
}

// A server that must keep its data is never emptied.
func TestPlanKeepsData(t *testing.T) {
	w := shapeOf(3, 3, 2)
	wiped := func() (n int) {
		for seed := range uint64(20) {
			for _, s := range plan(t, seed, w, only("restart"), 30*time.Second) {
				if s.Wipe {
					n++
				}
			}
		}
		return n
	}
	if wiped() == 0 {
		t.Error("nothing is ever wiped")
	}
	w.Nodes[1] = loyalNode{shape{name: "B"}}
	if n := wiped(); n > 0 {
		t.Errorf("%d restarts empty a server that must keep its data", n)
	}
}
