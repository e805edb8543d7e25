package timeline

import (
	"testing"
	"time"

	"locktorture/history"
)

// TestDuring: a fault that says when it began was in place from then on and no earlier; one
// that does not may have begun as long before as its effect may be seen late.
func TestDuring(t *testing.T) {
	const ms = int64(time.Millisecond)
	in := func(began, from, to int64) bool {
		op := &history.Op{F: history.Fault, Time: 1000 * ms}
		op.SetBegan(began)
		s := &Troubles{Faults: []*Fault{{Op: op, Traits: history.FaultTraits{SeenLate: 500 * time.Millisecond}, From: op.Time, To: 2000 * ms}}}
		return len(s.During(from, to)) > 0
	}
	check(t, []border{
		{"before it began", in(800*ms, 0, 800*ms-1), false},
		{"when it began", in(800*ms, 0, 800*ms), true},
		{"long before it was seen", in(200*ms, 0, 200*ms), true},
		{"it does not say", in(0, 0, 500*ms), true},
		{"it does not say, before", in(0, 0, 500*ms-1), false},
		{"until its heal", in(800*ms, 2000*ms, 2100*ms), true},
		{"after its heal", in(800*ms, 2000*ms+1, 2100*ms), false},
	})
}
