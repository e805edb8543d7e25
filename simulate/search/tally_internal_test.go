package search

import (
	"testing"

	"locktorture/simulate"
)

// A state that only one run has shown announces further ones, and the last tenth of the runs is told apart.
func TestSaturation(t *testing.T) {
	tally := newTally()
	runs := []States{{1: true, 2: true}, {1: true}, {1: true, 3: true}}
	for len(runs) < 20 {
		runs = append(runs, States{1: true, 3: true})
	}
	runs[19] = States{1: true, 4: true, 5: true}
	for _, shown := range runs {
		tally.add(&Outcome{Run: &simulate.Result{}}, shown)
	}
	if got, want := tally.Saturation(), (Saturation{Shown: 5, Late: 2, Next: 3. / 20}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	empty := newTally()
	if got := empty.Saturation(); got != (Saturation{}) {
		t.Errorf("a search without runs: %+v", got)
	}
}
