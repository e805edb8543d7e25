package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// A flight is an operation under way.
type Flight struct {
	Op   *history.Op
	Line int
	wait *Call
	lock *Lock // whose lease it is done under
}

// A wait is an acquire or a try, however it ended.
type Call struct {
	Inv, Ret *history.Op // ret is nil if it was under way at the end
	Lock     *Lock
	Client   int
	Process  int
	Line     int
	Called   int64
	End      int64  // return, crash of the process, or the end of the history
	Dead     bool   // ended by a crash, before its answer
	judged   bool   // in an earlier part
	served   int64  // call of what its process was served with last, MaxInt64 if it may have lost its connection since
	gap      bool   // was under way when the lock was granted after a long time without a holder
	Within   *Lease // what its process held of the lock when it called: a re-entry
	Lease    *Lease
}

// refused reports whether the service certainly answered no.
func (w *Call) Refused() bool {
	return w.Ret != nil && w.Ret.Type == history.Fail && w.Ret.Refused != history.ByClient
}

// unknown reports whether the lock may have been taken in the waiter's name.
func (w *Call) Unknown() bool {
	return w.Dead || w.Ret == nil || w.Ret.Type == history.Info
}

// An access is an operation on a store.
type Access struct {
	Inv, Ret *history.Op
	Lease    *Lease // nil: the initial state
}

// sent reports whether the operation left the client.
func (a *Access) Sent() bool {
	return a.Ret == nil || a.Ret.Refused != history.ByClient
}

func (a *Access) RefusedByStore() bool {
	return a.Ret != nil && a.Ret.Type == history.Fail && a.Ret.Refused == history.ByStore
}

// applied returns the apply number, 0 if it is not known to be applied.
func (a *Access) Applied() int64 {
	if a.Ret == nil || a.Ret.Type == history.Fail {
		return 0
	}
	return a.Ret.Apply
}

// returned is the time of the answer, the end of time if there was none.
func (a *Access) Returned() int64 {
	if a.Ret == nil {
		return math.MaxInt64
	}
	return a.Ret.Time
}

// op is the completion with whatever only the invocation names.
func (a *Access) Op() history.Op {
	if a.Ret == nil {
		return *a.Inv
	}
	op := *a.Ret
	op.Lock = cmp.Or(op.Lock, a.Inv.Lock)
	op.Store = cmp.Or(op.Store, a.Inv.Store)
	op.Key = cmp.Or(op.Key, a.Inv.Key)
	op.Lease = cmp.Or(op.Lease, a.Inv.Lease)
	op.Client = cmp.Or(op.Client, a.Inv.Client)
	if op.F != history.Read {
		op.Value = cmp.Or(op.Value, a.Inv.Value)
	}
	return op
}

// together reports whether a grant takes nothing from what a wait asks for: both can be held
// at a time, and be granted at one moment. Which answer comes first then says nothing of an
// order.
func (w *Call) Together(g *Lease) bool {
	if n := w.Inv.Permits; n > 0 && g.Permits > 0 {
		return n+g.Permits <= w.Inv.Capacity
	}
	return w.Inv.Mode == history.Shared && g.Shared
}

// writes reports whether a wait asks for the whole lock.
func (w *Call) Writes() bool { return w.Inv.Mode == "" }

// An observation is an answer to who leads.
type Observation struct {
	Inv, Ret *history.Op
	Line     int // of the call
}

func (o *Observation) Leader() string { return o.Ret.Leader() }

func (o *Observation) Term() uint64 { return o.Ret.Token }

// gaveUp is the answer with which a candidate certainly ended its campaign or its leadership;
// nil if it did not.
func (w *Call) GaveUp() (ended *history.Op, why string) {
	switch {
	case w.Lease != nil && w.Lease.ReleasedForCertain():
		return w.Lease.RelRet, "had resigned (" + w.Lease.Name() + ")"
	case w.Lease == nil && w.Refused():
		return w.Ret, "had ended its campaign"
	}
	return nil, ""
}

// asked reports whether a wait reached the service.
func (w *Call) Asked() bool { return w.Ret == nil || w.Ret.Refused != history.ByClient }

// A latchCall is a count-down or a wait. ret is nil for one that was never answered.
type LatchCall struct{ Inv, Ret *history.Op }

// ok reports whether it was answered, and with success.
func (c LatchCall) OK() bool { return c.Ret != nil && c.Ret.Type == history.OK }

// refused reports whether it certainly did nothing.
func (c LatchCall) Refused() bool { return c.Ret != nil && c.Ret.Type == history.Fail }

func isLatch(f history.F) bool {
	return f == history.SetCount || f == history.CountDown || f == history.Await
}

// latchEnd is when a call was over, as far as its client is concerned.
func (s *Run) LatchEnd(c LatchCall) int64 {
	end := s.End
	if c.Ret != nil {
		end = c.Ret.Time
	}
	if at, ok := s.crashed[c.Inv.Process]; ok && at >= c.Inv.Time && !c.OK() {
		end = min(end, at)
	}
	return end
}

// A place is one key of one store.
type Place struct{ Store, Key string }

func PlaceOf(a *Access) Place { return Place{a.Inv.Store, a.Inv.Key} }

// conditional reports whether an operation is a write on the condition of what its
// own key holds.
func Conditional(a *Access) bool { return a.Inv.F == history.CAS && a.Inv.Guard == a.Inv.Key }

// InApplyOrder returns the applied operations in the order in which the store applied them.
// Plain and fenced keys live in one resource with one count.
func InApplyOrder(list []*Access) []*Access {
	var out []*Access
	for _, a := range list {
		if a.Applied() > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b *Access) int { return cmp.Compare(a.Applied(), b.Applied()) })
	return out
}
