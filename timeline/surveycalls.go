package timeline

import (
	"cmp"

	"locktorture/history"
)

// complete takes the answer to a call.
func (s *surveyor) complete(b begun, op *history.Op) {
	switch op.F {
	case history.Acquire, history.Try:
		if op.Type == history.OK {
			s.grant(b, op)
		}
	case history.Await:
		if op.Type == history.OK {
			s.letIn(op)
		}
	case history.Release:
		delete(s.holders, cmp.Or(b.op.Lease, op.Lease))
		if op.Type == history.OK && s.stopped(s.Client(op), b.op.Time, op.Time) == 0 {
			s.releases.Add(op.Time - b.op.Time)
		}
	case history.Read, history.Write, history.CAS:
		s.store(b, op)
	}
}

// grant counts a grant, and notes a token that did not grow.
func (s *surveyor) grant(b begun, op *history.Op) {
	s.tells(b, op)
	s.holders[op.Lease] = s.Client(b.op)
	s.letIn(op)
	if op.Token == 0 {
		return
	}
	if greatest := s.tokens[b.op.Lock]; op.Token > greatest {
		s.tokens[b.op.Lock] = op.Token
		return
	}
	if s.Repeated[b.op.Lock] == nil {
		s.Repeated[b.op.Lock] = map[uint64]int{}
	}
	s.Repeated[b.op.Lock][op.Token]++
}

// letIn counts a grant, or a pass through a latch.
func (s *surveyor) letIn(op *history.Op) {
	s.Counts.Grants++
	s.lastGrant = op.Time
	for ; s.recovered < len(s.Faults); s.recovered++ {
		s.Recoveries.Add(op.Time - s.Faults[s.recovered].From)
	}
}

// store takes the end of an operation on a store; done is nil if it was never answered. It
// finds out whether the apply numbers of the store can be replayed.
func (s *surveyor) store(b begun, done *history.Op) {
	if b.op.F != history.Read && b.op.F != history.Write && b.op.F != history.CAS {
		return
	}
	a := Access{Inv: b.op, Ret: done}
	if b.op.Client > 0 && b.op.Lease == 0 && !s.Options.Meets() {
		s.Trespasses++
	}
	lease := b.op.Lease
	if done != nil {
		lease = cmp.Or(lease, done.Lease)
	}
	s.FencedUsed = s.FencedUsed || b.op.Store == history.Fenced && lease != 0
	n := a.Applied()
	switch {
	case n > 0 && n <= b.floor:
		s.Untimely = true
	case n > 0:
		s.applied = max(s.applied, n)
	case done != nil && done.Type == history.Fail:
		if Conditional(&a) && a.RefusedByStore() && a.Inv.Store == history.Plain { // refused for what the key held
			s.Unordered[PlaceOf(&a)] = true // the replay says nothing about refused operations
		}
	case b.op.F != history.Read:
		s.Uncertain = s.Uncertain || done == nil || done.Type == history.Info
		s.Unordered[PlaceOf(&a)] = true
	case done != nil && done.Type == history.OK:
		s.Unordered[PlaceOf(&a)] = true
	}
}
