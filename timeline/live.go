package timeline

import (
	"slices"

	"locktorture/history"
)

// A Live folds a history while it is being written. It does not know yet how later entries
// change the meaning of earlier ones: a lease has only what its holder and the servers have
// done so far, and there are no pieces. Probe entries are left out. The memory of a Live grows
// with the leases that are not over.
type Live struct {
	fold    *Fold
	entries int // since the leases that are over were dropped
}

// liveKeeps is the number of entries after which leases that are over are dropped.
const liveKeeps = 1 << 10

// NewLive begins to fold the history of a run that has declared o. It calls granted for each
// grant that is no re-entry, before the lease is added to the leases of the lock.
func NewLive(o Options, granted func(l *Lock, w *Call)) *Live {
	to := Followers{Locks: grantsOnly(granted), Latches: noLatches{}, Stores: noStores{}}
	return &Live{fold: newFold(newSurveyor(o).Run, Connections{}, Whole, to)}
}

// Feed takes the next entry, which it keeps.
func (v *Live) Feed(op *history.Op) {
	if op.F == history.Probe {
		return
	}
	if op.Process >= 0 && op.Client > 0 {
		v.fold.ClientOf[op.Process] = op.Client
	}
	_ = v.fold.next(op) // an error is one of reading, and nothing is read
	if v.entries++; v.entries == liveKeeps {
		v.entries = 0
		v.forget()
	}
}

// Lease returns the lease under which an operation is done, or nil if that lease is over or
// not known.
func (v *Live) Lease(op *history.Op) *Lease { return v.fold.byLease[op.Lease] }

// Promise brings the times of a lease (Told, End, Gone) up to the latest entry. A release counts
// from its call, before it is answered.
func (v *Live) Promise(g *Lease) {
	if g.RelCall != nil {
		v.fold.finishLease(g)
		return
	}
	g.RelCall = v.fold.releasing(g)
	v.fold.finishLease(g)
	g.RelCall = nil
}

// forget drops the leases that are over, and everything that only pieces would need.
func (v *Live) forget() {
	for _, l := range v.fold.locks {
		l.Leases = slices.DeleteFunc(l.Leases, func(g *Lease) bool { return g.ended })
		l.Kept, l.Accesses, l.begun, l.Observations = nil, nil, nil, nil
		l.Sights = Sights{}
		l.Sights.Init()
	}
}

// grantsOnly is a LocksFollower that passes on grants alone.
type grantsOnly func(l *Lock, w *Call)

func (f grantsOnly) Granted(l *Lock, w *Call) { f(l, w) }
func (grantsOnly) Called(*Lock, *Call)        {}
func (grantsOnly) Ended(*Lock, *Call)         {}
func (grantsOnly) Settled(*Piece)             {}

// noLatches ignores latches.
type noLatches struct{}

func (noLatches) Called(*history.Op)            {}
func (noLatches) Answered(inv, ret *history.Op) {}
func (noLatches) Last()                         {}

// noStores ignores stores.
type noStores struct{}

func (noStores) Called(*Flight)        {}
func (noStores) Add(*Access, int, int) {}
func (noStores) Over(int64)            {}
func (noStores) Last()                 {}
