package harness_test

import (
	"testing"

	"locktorture/history"
	"locktorture/nemesis"
)

// TestHistoriesKnowEveryEffect: what a fault declares becomes words of a history.
func TestHistoriesKnowEveryEffect(t *testing.T) {
	for name, n := range nemesis.All() {
		if e := n.Traits().Effect; e == "" || !history.Effect(e).Known() {
			t.Errorf("the effect %q of %s is not one of a history: add it to Effect in history/faulttraits.go", e, name)
		}
	}
}

// TestFaultsAreAsTheyWere: what today's faults declare is what histories of before are judged
// by. Where this differs with intent, say so here: the old table stays as it is.
func TestFaultsAreAsTheyWere(t *testing.T) {
	for name, n := range nemesis.All() {
		d, former := n.Traits(), history.FormerFault(name)
		now := history.FaultTraits{
			Effect: history.Effect(d.Effect), TakesLocks: d.TakesLocks, LeavesCopies: d.LeavesCopies, UpsetsAll: d.UpsetsAll,
			SeenLate: d.SeenLate, Ahead: d.Ahead,
		}
		if former != (history.FaultTraits{}) && former != now {
			t.Errorf("%s declares %+v, and histories of before are judged by %+v", name, now, former)
		}
	}
}
