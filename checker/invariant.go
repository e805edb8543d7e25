package checker

import (
	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// An Invariant judges what a workload left in one store, from the applied
// operations alone. It holds after any prefix of a section.
type Invariant interface {
	// Begin begins to judge one store.
	Begin() Replay
}

// A Replay judges a store while its operations are replayed.
type Replay interface {
	// Apply takes the next applied read or write, in the order of the apply
	// numbers, and returns the anomalies that it completes. It may keep op.
	Apply(op *history.Op) []incident.Anomaly
	// Loss returns what was lost so far.
	Loss() Loss
}

// Replayed judges a list of applied operations.
func Replayed(inv Invariant, applied []history.Op) (found []incident.Anomaly, loss Loss) {
	r := inv.Begin()
	for i := range applied {
		found = append(found, r.Apply(&applied[i])...)
	}
	return found, r.Loss()
}

// Loss is how much a broken lock cost, in the workload's own unit.
type Loss struct {
	Lost, Of int
	Unit     string
	Note     string // what else was measured, in one clause; "" for nothing
}

// A Forgetful replay keeps something of every lease that it can drop when
// the lease is over.
type Forgetful interface{ Forget(lease int64) }

// With At, By and Witness, an invariant describes an anomaly in the words of the other checks.

// At names a moment of the run: "3.214 s".
func At(t int64) string { return timeline.At(t) }

// By names who did a store operation: "c2 (lease 41)".
func By(op *history.Op) string { return timeline.By(op) }

// Witness copies the entries that prove an anomaly, in the order of their times, each once.
// Nil entries are left out.
func Witness(list ...*history.Op) []history.Op { return incident.Ops(list...) }
