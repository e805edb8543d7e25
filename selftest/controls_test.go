package selftest

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
)

// TestRoundsAreDrawn shows that a round is a function of seed and number, and that rounds
// differ.
func TestRoundsAreDrawn(t *testing.T) {
	seen := map[string]bool{}
	for n := range 300 {
		r := drawRound(7, n)
		if again := drawRound(7, n); !slices.Equal(r.Args, again.Args) {
			t.Fatalf("round %d is %v, then %v", n, r.Args, again.Args)
		}
		seen[strings.Join(r.Args, " ")] = true
	}
	if len(seen) < 290 {
		t.Errorf("300 rounds are only %d different ones", len(seen))
	}
}

// TestHazardsAreWhole shows that each row says what must be seen and why, once.
func TestHazardsAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, h := range hazards() {
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
