package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// An entry is a call to enter a barrier, with the lease if the party was let in.
type entry struct {
	*timeline.Call
	// until is MaxInt64 for an entry that was let in. An entry of unknown outcome counts for
	// as long as its session can last: until FreeBy after its end, where FreeWithin is
	// declared.
	until int64 // from then on the entry no longer counts
	first bool  // it is in no generation yet
}

// barrierOpen finds parties that enter a barrier before enough parties have come, and parties
// that leave it while another party of their generation is inside.
//
// Guarantee: nobody enters before all parties of a generation have come, and nobody leaves before
// all want to. The whole history of a barrier is one piece.
//
// A party counts as come from the call of its entry, which is the earliest moment at which the
// barrier can have counted it. The return of an entry is the latest moment at which the
// barrier can have opened for it.
type barrierOpen struct{ base }

func (r *barrierOpen) check(p *timeline.Piece) {
	l := p.Lock
	calls, returns := r.entries(l)
	var come []*entry
	for _, e := range returns {
		for ; len(calls) > 0 && calls[0].Called <= e.Lease.Granted(); calls = calls[1:] {
			come = append(come, calls[0])
		}
		// An earlier return has already taken this entry into its generation.
		if !e.first {
			continue
		}
		// A session that was over when this party called cannot have met it.
		come = slices.DeleteFunc(come, func(c *entry) bool { return c.until < e.Called })
		if need := e.Inv.Parties; len(come) < need {
			r.tooFew(l, e, come)
			e.first = false
			come = slices.DeleteFunc(come, func(c *entry) bool { return c == e })
		} else {
			var generation []*entry
			// If exactly as many have come as it takes, all of them are surely in this
			// generation.
			forced := len(come) == need
			generation, come = together(e, come, need)
			if forced {
				r.leavings(l, generation)
			}
		}
	}
}

// entries returns the entries of all parties that called to enter, by call, and of the parties
// that were let in, by return. The barrier may have counted a call of unknown outcome for as
// long as the session of its client lasts after the client is gone.
func (r *barrierOpen) entries(l *timeline.Lock) (calls, returns []*entry) {
	for _, g := range l.Leases {
		e := &entry{g.Call, math.MaxInt64, true}
		calls, returns = append(calls, e), append(returns, e)
	}
	for _, w := range l.Kept {
		// A refused entry came to nothing, and an entry with a lease is in the list already.
		if w.Lease != nil || !w.Asked() || w.Refused() {
			continue
		}
		until := int64(math.MaxInt64)
		if r.run.Options.FreeWithin > 0 {
			until = w.End + r.run.Options.FreeBy()
		}
		calls = append(calls, &entry{w, until, true})
	}
	slices.SortStableFunc(calls, func(a, b *entry) int { return cmp.Compare(a.Called, b.Called) })
	slices.SortStableFunc(returns, func(a, b *entry) int { return cmp.Compare(a.Lease.Granted(), b.Lease.Granted()) })
	return calls, returns
}

// together takes a generation out of the entries that have come: e, which returned first, and
// the entries that return first after it. An entry that returns later, or not at all, can
// still be in the most later generations. This is the greedy rule of interval scheduling: the
// earliest deadline first.
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

// returned returns when the party was let in; Never if it was not.
func (e *entry) returned() int64 {
	if e.Lease == nil {
		return history.Never
	}
	return e.Lease.Granted()
}

func (r *barrierOpen) tooFew(l *timeline.Lock, e *entry, come []*entry) {
	r.found.Add("early-open", e.Called, func() incident.Anomaly {
		entries := []*history.Op{e.Inv, e.Ret}
		for _, c := range come {
			entries = append(entries, c.Inv, c.Ret)
		}
		return incident.Anomaly{
			Lock: l.Name, Time: e.Lease.Granted(), Ops: incident.Ops(entries...),
			Sentence: fmt.Sprintf("%s entered %s at %s (%s) although at most %d of %d parties can have come",
				timeline.Who(e.Client), l.Name, timeline.At(e.Lease.Granted()), e.Lease.Name(), len(come), e.Inv.Parties),
		}
	})
}

// leavings finds parties of a generation that left while another was inside. If more parties
// had come than a generation has, nobody can say who was in it, so the caller does not ask. A
// release that may have failed shows nothing: only a confirmed one is evidence that its party
// left.
func (r *barrierOpen) leavings(l *timeline.Lock, generation []*entry) {
	for _, a := range generation {
		if a.Lease == nil || !a.Lease.ReleasedForCertain() {
			continue
		}
		for _, b := range generation {
			if b != a && b.Lease != nil && stays(r.run, b.Lease) > a.Lease.RelRet.Time {
				r.leftEarly(l, a.Lease, b.Lease)
			}
		}
	}
}

// stays returns until when a party is certainly inside: until it calls to leave, until it
// dies, or until its session may be over. A watched session without a validity may end on the
// server long before its holder is notified. So nothing is claimed if a fault was in place
// between a TTL before its entry and its end.
func stays(v *timeline.Run, g *timeline.Lease) int64 {
	if from := g.Granted() - int64(v.Options.TTL); v.Options.OnlyWatched() && len(v.Disturbances(from, min(g.End, v.End))) > 0 {
		return unsure
	}
	return g.End
}

// unsure is the end of a stay about which nothing is certain.
const unsure = math.MinInt64

func (r *barrierOpen) leftEarly(l *timeline.Lock, a, b *timeline.Lease) {
	r.found.Add("early-open", a.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: l.Name, Time: a.RelRet.Time, Ops: incident.Ops(a.Inv, a.Ret, a.RelCall, a.RelRet, b.Inv, b.Ret, b.LastTold(), b.RelCall),
			Sentence: fmt.Sprintf("%[1]s left %[2]s at %[3]s (%[4]s) although %[5]s, which had entered together with %[1]s (%[6]s), was inside until %[7]s",
				timeline.Who(a.Client), l.Name, timeline.At(a.RelRet.Time), a.Name(), timeline.Who(b.Client), b.Name(), timeline.At(b.End)),
		}
	})
}
