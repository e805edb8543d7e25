package main

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
)

// TestRoundsAreDrawn shows that a round is a function of seed and number, that it names only what
// there is, and that rounds differ.
func TestRoundsAreDrawn(t *testing.T) {
	seen := map[string]bool{}
	for n := range 300 {
		r := drawRound(7, n)
		if again := drawRound(7, n); !slices.Equal(r.Args, again.Args) {
			t.Fatalf("round %d is %v, then %v", n, r.Args, again.Args)
		}
		seen[strings.Join(r.Args, " ")] = true
		flag := func(name string) string { return r.Args[slices.Index(r.Args, name)+1] }
		if _, ok := backends()[flag("--backend")]; !ok {
			t.Errorf("round %d: no backend %s", n, flag("--backend"))
		}
		if _, ok := workloadsByName()[flag("--workload")]; !ok {
			t.Errorf("round %d: no workload %s", n, flag("--workload"))
		}
		for f := range strings.SplitSeq(flag("--nemesis"), ",") {
			if _, ok := nemeses()[f]; !ok && f != "none" {
				t.Errorf("round %d: no nemesis %s", n, f)
			}
		}
	}
	if len(seen) < 290 {
		t.Errorf("300 rounds are only %d different ones", len(seen))
	}
}

// TestHazardsNameWhatThereIs shows that each row can be run.
func TestHazardsNameWhatThereIs(t *testing.T) {
	names := map[string]bool{}
	for _, h := range hazards() {
		if _, ok := backends()[h.Backend]; !ok {
			t.Errorf("no backend %s", h.Backend)
		}
		if _, ok := nemeses()[h.Nemesis]; !ok && h.Nemesis != "none" {
			t.Errorf("no nemesis %s", h.Nemesis)
		}
		for _, a := range h.Anomalies {
			if !slices.Contains(checker.Kinds(), a) {
				t.Errorf("%s: no anomaly %s", h.name(), a)
			}
		}
		if len(h.Anomalies) == 0 || h.Why == "" || names[h.name()] {
			t.Errorf("%s: no anomaly, no reason, or twice", h.name())
		}
		names[h.name()] = true
	}
}
