package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"locktorture/history"
)

// An entry is a call to enter a barrier, with the lease if it came to one.
type entry struct {
	*wait
	until int64 // when it counts for nobody any more
	first bool  // it is in no generation yet
}

// barrierOpen judges parties that come to a barrier in one generation and leave it: one that
// enters before enough have come, and one that leaves while another of its generation is inside.
// The whole history of a barrier is one piece.
type barrierOpen struct{ base }

func (r *barrierOpen) check(p *piece) {
	l := p.lockView
	calls, returns := r.entries(l)
	var come []*entry
	for _, e := range returns {
		for ; len(calls) > 0 && calls[0].call <= e.lease.granted(); calls = calls[1:] {
			come = append(come, calls[0])
		}
		if !e.first {
			continue
		}
		come = slices.DeleteFunc(come, func(c *entry) bool { return c.until < e.call })
		if need := e.inv.Parties; len(come) < need {
			r.tooFew(l, e, come)
			e.first = false
			come = slices.DeleteFunc(come, func(c *entry) bool { return c == e })
		} else {
			var generation []*entry
			forced := len(come) == need
			generation, come = together(e, come, need)
			if forced {
				r.leavings(l, generation)
			}
		}
	}
}

// entries are those who called to enter, by call, and those who were let in, by their returns.
// One of unknown outcome may have been counted, for as long as a session lasts whose client is
// gone.
func (r *barrierOpen) entries(l *lockView) (calls, returns []*entry) {
	for _, g := range l.leases {
		e := &entry{g.wait, math.MaxInt64, true}
		calls, returns = append(calls, e), append(returns, e)
	}
	for _, w := range l.waits {
		if w.lease != nil || !w.asked() || w.refused() {
			continue
		}
		until := int64(math.MaxInt64)
		if r.run.o.FreeWithin > 0 {
			until = w.end + r.run.o.freeBy()
		}
		calls = append(calls, &entry{w, until, true})
	}
	slices.SortStableFunc(calls, func(a, b *entry) int { return cmp.Compare(a.call, b.call) })
	slices.SortStableFunc(returns, func(a, b *entry) int { return cmp.Compare(a.lease.granted(), b.lease.granted()) })
	return calls, returns
}

// together takes a generation out of those who have come: the one that returned first, and
// those that return first after it. Others can take the place of a later one in a later
// generation.
func together(e *entry, come []*entry, need int) (generation, left []*entry) {
	slices.SortStableFunc(come, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(order(a == e), order(b == e)), cmp.Compare(a.returned(), b.returned()))
	})
	for _, c := range come[:need] {
		c.first = false
	}
	return slices.Clone(come[:need]), slices.Clone(come[need:])
}

func order(first bool) int {
	if first {
		return 0
	}
	return 1
}

// returned is when it was let in; Never for one that was not.
func (e *entry) returned() int64 {
	if e.lease == nil {
		return history.Never
	}
	return e.lease.granted()
}

func (r *barrierOpen) tooFew(l *lockView, e *entry, come []*entry) {
	r.found.add("early-open", e.call, func() Anomaly {
		entries := []*history.Op{e.inv, e.ret}
		for _, c := range come {
			entries = append(entries, c.inv, c.ret)
		}
		return Anomaly{
			Lock: l.name, Time: e.lease.granted(), Ops: ops(entries...),
			Sentence: fmt.Sprintf("%s entered %s at %s (%s) when %d of %d parties can have come",
				who(e.client), l.name, at(e.lease.granted()), e.lease.name(), len(come), e.inv.Parties),
		}
	})
}

// leavings finds parties of a generation that left while another was inside. Where more had
// come than it takes nobody can say who was in it.
func (r *barrierOpen) leavings(l *lockView, generation []*entry) {
	for _, a := range generation {
		if a.lease == nil || !a.lease.releasedForCertain() {
			continue
		}
		for _, b := range generation {
			if b != a && b.lease != nil && stays(r.run, b.lease) > a.lease.relRet.Time {
				r.leftEarly(l, a.lease, b.lease)
			}
		}
	}
}

// stays is until when a party is inside for certain: until it calls to leave, dies, or its
// session may be over.
func stays(v *survey, g *lease) int64 {
	if from := g.granted() - int64(v.o.TTL); v.o.onlyWatched() && len(v.disturbances(from, min(g.end, v.end))) > 0 {
		return unsure
	}
	return g.end
}

// unsure is the end of a stay of which nothing is certain.
const unsure = math.MinInt64

func (r *barrierOpen) leftEarly(l *lockView, a, b *lease) {
	r.found.add("early-open", a.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: a.relRet.Time, Ops: ops(a.inv, a.ret, a.relCall, a.relRet, b.inv, b.ret, b.lastTold(), b.relCall),
			Sentence: fmt.Sprintf("%s left %s at %s (%s) although %s had entered with it (%s) and was inside until %s",
				who(a.client), l.name, at(a.relRet.Time), a.name(), who(b.client), b.name(), at(b.end)),
		}
	})
}
