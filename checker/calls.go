package checker

import (
	"cmp"
	"math"

	"locktorture/history"
)

// A flight is an operation under way.
type flight struct {
	op   *history.Op
	line int
	wait *wait
	lock *lockView // whose lease it is done under
}

// A wait is an acquire or a try, however it ended.
type wait struct {
	inv, ret *history.Op // ret is nil if it was under way at the end
	lock     *lockView
	client   int
	process  int
	line     int
	call     int64
	end      int64  // return, crash of the process, or the end of the history
	dead     bool   // ended by a crash, before its answer
	judged   bool   // in an earlier part
	served   int64  // call of what its process was served with last, MaxInt64 if it may have lost its connection since
	gap      bool   // was under way when the lock was granted after a long time without a holder
	within   *lease // what its process held of the lock when it called: a re-entry
	lease    *lease
}

// refused reports whether the service certainly answered no.
func (w *wait) refused() bool {
	return w.ret != nil && w.ret.Type == history.Fail && w.ret.Refused != history.ByClient
}

// unknown reports whether the lock may have been taken in the waiter's name.
func (w *wait) unknown() bool {
	return w.dead || w.ret == nil || w.ret.Type == history.Info
}

// An access is an operation on a store.
type access struct {
	inv, ret *history.Op
	lease    *lease // nil: the initial state
}

// sent reports whether the operation left the client.
func (a *access) sent() bool {
	return a.ret == nil || a.ret.Refused != history.ByClient
}

func (a *access) refusedByStore() bool {
	return a.ret != nil && a.ret.Type == history.Fail && a.ret.Refused == history.ByStore
}

// applied returns the apply number, 0 if it is not known to be applied.
func (a *access) applied() int64 {
	if a.ret == nil || a.ret.Type == history.Fail {
		return 0
	}
	return a.ret.Apply
}

// returned is the time of the answer, the end of time if there was none.
func (a *access) returned() int64 {
	if a.ret == nil {
		return math.MaxInt64
	}
	return a.ret.Time
}

// op is the completion with whatever only the invocation names.
func (a *access) op() history.Op {
	if a.ret == nil {
		return *a.inv
	}
	op := *a.ret
	op.Lock = cmp.Or(op.Lock, a.inv.Lock)
	op.Store = cmp.Or(op.Store, a.inv.Store)
	op.Key = cmp.Or(op.Key, a.inv.Key)
	op.Lease = cmp.Or(op.Lease, a.inv.Lease)
	op.Client = cmp.Or(op.Client, a.inv.Client)
	if op.F != history.Read {
		op.Value = cmp.Or(op.Value, a.inv.Value)
	}
	return op
}

// together reports whether a grant takes nothing from what a wait asks for: both can be held
// at a time, and be granted at one moment. Which answer comes first then says nothing of an
// order.
func (w *wait) together(g *lease) bool {
	if n := w.inv.Permits; n > 0 && g.permits > 0 {
		return n+g.permits <= w.inv.Capacity
	}
	return w.inv.Mode == history.Shared && g.shared
}

// writes reports whether a wait asks for the whole lock.
func (w *wait) writes() bool { return w.inv.Mode == "" }

// An observation is an answer to who leads.
type observation struct {
	inv, ret *history.Op
	line     int // of the call
}

func (o *observation) leader() string { return o.ret.Leader() }

func (o *observation) term() uint64 { return o.ret.Token }

// gaveUp is the answer with which a candidate certainly ended its campaign or its leadership;
// nil if it did not.
func (w *wait) gaveUp() (ended *history.Op, why string) {
	switch {
	case w.lease != nil && w.lease.releasedForCertain():
		return w.lease.relRet, "had resigned (" + w.lease.name() + ")"
	case w.lease == nil && w.refused():
		return w.ret, "had ended its campaign"
	}
	return nil, ""
}

// asked reports whether a wait reached the service.
func (w *wait) asked() bool { return w.ret == nil || w.ret.Refused != history.ByClient }

// A latchCall is a count-down or a wait. ret is nil for one that was never answered.
type latchCall struct{ inv, ret *history.Op }

// ok reports whether it was answered, and with success.
func (c latchCall) ok() bool { return c.ret != nil && c.ret.Type == history.OK }

// refused reports whether it certainly did nothing.
func (c latchCall) refused() bool { return c.ret != nil && c.ret.Type == history.Fail }

func isLatch(f history.F) bool {
	return f == history.SetCount || f == history.CountDown || f == history.Await
}

// latchEnd is when a call was over, as far as its client is concerned.
func (s *survey) latchEnd(c latchCall) int64 {
	end := s.end
	if c.ret != nil {
		end = c.ret.Time
	}
	if at, ok := s.crashed[c.inv.Process]; ok && at >= c.inv.Time && !c.ok() {
		end = min(end, at)
	}
	return end
}

// A place is one key of one store.
type place struct{ store, key string }

func placeOf(a *access) place { return place{a.inv.Store, a.inv.Key} }

// conditional reports whether an operation is a write on the condition of what its
// own key holds.
func conditional(a *access) bool { return a.inv.F == history.CAS && a.inv.Guard == a.inv.Key }
