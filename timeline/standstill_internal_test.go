package timeline

import (
	"testing"

	"locktorture/history"
)

// TestDisturbances: a fault that only touches a time was not in place in it.
func TestDisturbances(t *testing.T) {
	in := func(w Window) int {
		v := emptyFold(t, Options{})
		v.Faults, v.Prepared = []*Fault{{Op: &history.Op{}, From: w.From, To: w.To}}, []Window{w}
		return len(v.Disturbances(10, 80))
	}
	check(t, []border{
		{"over as it began", in(Window{0, 10}), 0}, {"1 ns later", in(Window{0, 11}), 2}, {"begun as it ended", in(Window{80, 90}), 0}, {"1 ns before", in(Window{79, 90}), 2},
	})
}
