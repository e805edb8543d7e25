package checker

import (
	"cmp"

	"locktorture/history"
)

// complete takes the answer to a call.
func (s *survey) complete(b begun, op *history.Op) {
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
		if op.Type == history.OK && s.stopped(s.client(op), b.op.Time, op.Time) == 0 {
			s.releases.Add(op.Time - b.op.Time)
		}
	case history.Read, history.Write, history.CAS:
		s.store(b, op)
	}
}

func (s *survey) grant(b begun, op *history.Op) {
	s.tells(b, op)
	s.holders[op.Lease] = s.client(b.op)
	s.letIn(op)
	if op.Token == 0 {
		return
	}
	if greatest := s.tokens[b.op.Lock]; op.Token > greatest {
		s.tokens[b.op.Lock] = op.Token
		return
	}
	if s.repeated[b.op.Lock] == nil {
		s.repeated[b.op.Lock] = map[uint64]int{}
	}
	s.repeated[b.op.Lock][op.Token]++
}

// letIn counts a grant, or a pass through a latch.
func (s *survey) letIn(op *history.Op) {
	s.counts.Grants++
	s.lastGrant = op.Time
	for ; s.recovered < len(s.faults); s.recovered++ {
		s.recoveries.Add(op.Time - s.faults[s.recovered].from)
	}
}

// store looks at the end of an operation on a store; done is nil if it has none.
func (s *survey) store(b begun, done *history.Op) {
	if b.op.F != history.Read && b.op.F != history.Write && b.op.F != history.CAS {
		return
	}
	a := access{inv: b.op, ret: done}
	if b.op.Client > 0 && b.op.Lease == 0 && !s.o.meets() {
		s.trespasses++
	}
	lease := b.op.Lease
	if done != nil {
		lease = cmp.Or(lease, done.Lease)
	}
	s.fencedUsed = s.fencedUsed || b.op.Store == history.Fenced && lease != 0
	n := a.applied()
	switch {
	case n > 0 && n <= b.floor:
		s.untimely = true
	case n > 0:
		s.applied = max(s.applied, n)
	case done != nil && done.Type == history.Fail:
		if conditional(&a) && a.refusedByStore() && a.inv.Store == history.Plain { // for what the key held
			s.unordered[placeOf(&a)] = true // the replay says nothing of what was refused
		}
	case b.op.F != history.Read:
		s.uncertain = s.uncertain || done == nil || done.Type == history.Info
		s.unordered[placeOf(&a)] = true
	case done != nil && done.Type == history.OK:
		s.unordered[placeOf(&a)] = true
	}
}
