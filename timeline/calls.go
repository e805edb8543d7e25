package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// A Flight is an operation under way.
type Flight struct {
	Op   *history.Op // the invocation
	Line int
	wait *Call // the call, if the operation is an acquire or a try; else nil
	lock *Lock // the lock under whose lease the operation is done; nil for none
}

// A Call is an acquire or a try, however it ended.
type Call struct {
	Inv, Ret *history.Op // Ret is nil if the call was under way when the history ended
	Lock     *Lock
	Client   int
	Process  int
	Line     int    // of Inv
	Called   int64  // the time of Inv
	End      int64  // when it was over: at the answer, the death of the process, or the end of the history
	Dead     bool   // the process died before it was answered
	judged   bool   // a piece with this call was settled
	served   int64  // call of what its process was last served with; MaxInt64 if it may have lost its connection since
	gap      bool   // it was under way when the lock was granted after a long time without a holder
	Within   *Lease // for a re-entry, the lease that its client held when it called; else nil
	Lease    *Lease // the lease that was granted; nil if none was
}

// Refused reports whether the service certainly answered no.
func (w *Call) Refused() bool {
	return w.Ret != nil && w.Ret.Type == history.Fail && w.Ret.Refused != history.ByClient
}

// Unknown reports whether the outcome is unknown: the lock may have been taken in the caller's
// name although no grant was recorded.
func (w *Call) Unknown() bool {
	return w.Dead || w.Ret == nil || w.Ret.Type == history.Info
}

// An Access is an operation on a store.
type Access struct {
	Inv, Ret *history.Op // Ret is nil if it was never answered
	Lease    *Lease      // the lease it was done under; nil for the initial state and for an access without the lock
}

// Sent reports whether the operation left the client.
func (a *Access) Sent() bool {
	return a.Ret == nil || a.Ret.Refused != history.ByClient
}

// RefusedByStore reports whether the store answered no: for a token, or for the condition of a
// write.
func (a *Access) RefusedByStore() bool {
	return a.Ret != nil && a.Ret.Type == history.Fail && a.Ret.Refused == history.ByStore
}

// Applied returns the number under which the store applied the operation, from 1; 0 if it is not
// known to be applied.
func (a *Access) Applied() int64 {
	if a.Ret == nil || a.Ret.Type == history.Fail {
		return 0
	}
	return a.Ret.Apply
}

// Returned returns the time of the answer, MaxInt64 if there was none.
func (a *Access) Returned() int64 {
	if a.Ret == nil {
		return math.MaxInt64
	}
	return a.Ret.Time
}

// Op returns the completion, with the fields that only the invocation names filled in. It
// returns the invocation if there was no answer.
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

// Together reports whether the grant g takes nothing from what the call asks for: both can be
// held at the same time, and both can be granted at one moment. The order of their answers
// then shows no order of the grants.
func (w *Call) Together(g *Lease) bool {
	if n := w.Inv.Permits; n > 0 && g.Permits > 0 {
		return n+g.Permits <= w.Inv.Capacity
	}
	return w.Inv.Mode == history.Shared && g.Shared
}

// Writes reports whether a call asks for the whole lock.
func (w *Call) Writes() bool { return w.Inv.Mode == "" }

// An Observation is an answer to the question who leads.
type Observation struct {
	Inv, Ret *history.Op
	Line     int // of the call
}

// Leader names the candidate that leads; "" for nobody.
func (o *Observation) Leader() string { return o.Ret.Leader() }

// Term returns the token of the leadership.
func (o *Observation) Term() uint64 { return o.Ret.Token }

// GaveUp returns the answer with which a candidate certainly ended its campaign or its leadership;
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

// Asked reports whether the call reached the service.
func (w *Call) Asked() bool { return w.Ret == nil || w.Ret.Refused != history.ByClient }

// A LatchCall is a count-down or a wait. Ret is nil for a call that was never answered.
type LatchCall struct{ Inv, Ret *history.Op }

// OK reports whether the call was answered with success.
func (c LatchCall) OK() bool { return c.Ret != nil && c.Ret.Type == history.OK }

// Refused reports whether the call certainly did nothing.
func (c LatchCall) Refused() bool { return c.Ret != nil && c.Ret.Type == history.Fail }

// isLatch reports whether a call is for a latch, which nobody holds.
func isLatch(f history.F) bool {
	return f == history.SetCount || f == history.CountDown || f == history.Await
}

// LatchEnd returns when a call was over for its client: at the answer, at the death of the process,
// or at the end of the history.
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

// A Place is one key of one store.
type Place struct{ Store, Key string }

// PlaceOf returns the key that an operation is about.
func PlaceOf(a *Access) Place { return Place{a.Inv.Store, a.Inv.Key} }

// Conditional reports whether an operation writes its key only if the key holds an expected
// value.
func Conditional(a *Access) bool { return a.Inv.F == history.CAS && a.Inv.Guard == a.Inv.Key }

// InApplyOrder returns the applied operations in the order in which the store applied them.
// Plain and fenced keys live in one resource and share one apply counter.
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
