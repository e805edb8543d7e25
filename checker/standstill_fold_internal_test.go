package checker

import (
	"locktorture/history"
	"testing"
)

// TestDisturbances: a fault that only touches a time was not in place in it.
func TestDisturbances(t *testing.T) {
	in := func(w window) int {
		v := emptyFold(t, Options{})
		v.faults, v.prepared = []*span{{fault: &history.Op{}, from: w.from, to: w.to}}, []window{w}
		return len(v.disturbances(10, 80))
	}
	check(t, []border{
		{"over as it began", in(window{0, 10}), 0}, {"1 ns later", in(window{0, 11}), 2}, {"begun as it ended", in(window{80, 90}), 0}, {"1 ns before", in(window{79, 90}), 2},
	})
}
