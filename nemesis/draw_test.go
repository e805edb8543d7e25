package nemesis_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktorture/nemesis"
)

// variety is what a schedule draws of each step, by name.
func variety(s nemesis.Step, nodes int) map[string]bool {
	seen := map[string]bool{
		"mode " + s.Mode:                       true,
		fmt.Sprintf("wipe %t", s.Wipe):         true,
		fmt.Sprintf("delayed %t", s.For > 0):   true,
		fmt.Sprintf("nodes %d", len(s.Nodes)):  true,
		fmt.Sprintf("holder %t", s.Holder > 0): true,
		"direction " + s.Direction:             true,
	}
	for n := range nodes {
		seen[fmt.Sprintf("node %d", n)] = slices.Contains(s.Nodes, n)
	}
	return seen
}

// TestPlanSeesEveryKind shows how many faults it takes at the most, whatever the seed, until
// each kind has come.
func TestPlanSeesEveryKind(t *testing.T) {
	two := shapeOf(5, 2, 1)
	for _, tt := range []struct {
		fault  string
		w      *nemesis.World
		within int
		kinds  []string
	}{
		{"restart", two, 2, []string{"delayed true", "delayed false", "node 0", "node 1"}},
		{"restart", two, 4, []string{"wipe true", "wipe false", "nodes 1", "nodes 2", "holder true", "holder false"}},
		{"restart", shapeOf(5, 5, 3), 4, []string{"nodes 1", "nodes 2", "nodes 3", "node 0", "node 1", "node 2", "node 3", "node 4"}},
		{"pause", two, 5, []string{"mode client", "mode node"}},
		{"clock", two, 6, []string{"mode ahead", "mode back", "mode rate"}},
		{"hold", two, 4, []string{"mode message", "mode write", "direction requests", "direction replies"}},
		{"partition", shapeOf(5, 3, 2), 3, []string{"mode client-node", "mode node-node", "mode asymmetric"}},
		{"client-clock", two, 2, []string{"mode ahead", "mode back"}},
	} {
		for seed := range uint64(100) {
			steps := plan(t, seed, tt.w, only(tt.fault), time.Minute)
			seen := map[string]bool{}
			for _, s := range steps[:tt.within] {
				for kind, is := range variety(s, len(tt.w.Nodes)) {
					seen[kind] = seen[kind] || is
				}
			}
			for _, kind := range tt.kinds {
				if !seen[kind] {
					t.Errorf("%s of %d nodes, seed %d: no %s in %d faults", tt.fault, len(tt.w.Nodes), seed, kind, tt.within)
				}
			}
		}
	}
}

// Four restarts of two servers that are not alike empty each of them once, also where a lock
// needs both, so that one is killed at a time.
func TestPlanEmptiesEachServer(t *testing.T) {
	for _, quorum := range []int{1, 2} {
		for seed := range uint64(100) {
			var emptied [2]bool
			for _, s := range plan(t, seed, shapeOf(5, 2, quorum), only("restart"), 30*time.Second)[:4] {
				for _, n := range s.Nodes {
					emptied[n] = emptied[n] || s.Wipe
				}
			}
			if emptied != [2]bool{true, true} {
				t.Errorf("quorum %d, seed %d: emptied %v", quorum, seed, emptied)
			}
		}
	}
}

// What is left in a bag and fits nowhere waits, and does not keep other kinds from coming: the
// lanes are as full as they were.
func TestPlanFillsTheLanes(t *testing.T) {
	for seed := range uint64(50) {
		steps := plan(t, seed, shapeOf(5, 5, 3), only("clock", "pause"), time.Minute)
		stops := 0
		for _, s := range steps {
			if s.Mode == nemesis.PauseNode {
				stops++
			}
		}
		if len(steps) < 25 || stops == 0 {
			t.Errorf("seed %d: %d faults in a minute, %d stops of servers", seed, len(steps), stops)
		}
	}
}
