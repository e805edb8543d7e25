package timeline

import (
	"testing"
	"time"

	"locktorture/history"
)

// TestChangesItself: a renewal or change of its own that was under way from 100 to 200.
func TestChangesItself(t *testing.T) {
	renewed := func(call, ret int64) bool {
		g := leased(1, 0, 900)
		g.Renewals = []history.Call{{Invoke: moment(call), Return: moment(ret)}}
		return g.ChangesItself(100, 200)
	}
	changed := func(call int64) bool {
		g := leased(1, 0, 900)
		g.Changes = []history.Call{{Invoke: moment(call)}}
		return g.ChangesItself(100, 200)
	}
	check(t, []border{
		{"it returned as the look was asked for", renewed(50, 100), true}, {"before", renewed(50, 99), false},
		{"it was called as the look was recorded", renewed(200, 210), true}, {"after", renewed(201, 210), false},
		{"never answered", changed(50), true}, {"and called later", changed(201), false},
	})
}

// TestTakenAhead: a fault may have taken locks before its effect is seen, by what it declares.
func TestTakenAhead(t *testing.T) {
	v := emptyFold(t, Options{})
	disturbed := func(ahead, late time.Duration, to int64) bool {
		op := &history.Op{F: history.Fault, Time: 1000}
		v.Faults = []*Fault{{Op: op, Traits: history.FaultTraits{TakesLocks: true, Ahead: ahead, SeenLate: late}, From: 1000, To: 2000}}
		return v.Disturbed(0, to)
	}
	check(t, []border{
		{"as long ahead", disturbed(100, 0, 900), true}, {"longer", disturbed(100, 0, 899), false},
		{"seen late", disturbed(0, 100, 900), true}, {"before", disturbed(0, 100, 899), false},
	})
}
