package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// A termSeen says that a term had begun by some time: it was observed, or its leader had been told.
type termSeen struct {
	term uint64
	by   int64
	inv  *history.Op
	ret  *history.Op
}

// termsSeen returns the terms in the order in which they were seen to have begun, each greater than
// all before.
// An observation counts from its answer and a grant from its return. By then the term had begun.
func termsSeen(l *timeline.Lock) []termSeen {
	var all []termSeen
	for _, o := range l.Observations {
		all = append(all, termSeen{o.Term(), o.Ret.Time, o.Inv, o.Ret})
	}
	for _, g := range l.Leases {
		all = append(all, termSeen{g.Token, g.Granted(), g.Inv, g.Ret})
	}
	slices.SortStableFunc(all, func(a, b termSeen) int { return cmp.Compare(a.by, b.by) })
	greatest := uint64(0)
	return slices.DeleteFunc(all, func(s termSeen) bool {
		less := s.term <= greatest
		greatest = max(greatest, s.term)
		return less
	})
}

// zombie finds candidates that were told that they lead when a later term had begun already.
//
// Guarantee: terms grow, and a candidate wins the newest one. A candidate that was told late may
// have lost its term meanwhile, but the answer must not say that it leads.
//
// Terms put leaders in one order, so a later term that was seen before the answer arrived shows that the
// campaign was lost. Whose term it is does not matter.
type zombie struct{ base }

func (r *zombie) check(p *timeline.Piece) {
	if !r.run.Options.IsElection() {
		return
	}
	l := p.Lock
	seen := termsSeen(l)
	for _, g := range l.Leases {
		i, _ := slices.BinarySearchFunc(seen, g.Granted(), func(s termSeen, at int64) int { return cmp.Compare(s.by, at) })
		if g.Token == 0 || i == 0 || seen[i-1].term <= g.Token || r.toldAtOnce(g) {
			continue
		}
		next := seen[i-1]
		r.found.Add("zombie-candidate", g.Inv.Time, func() incident.Anomaly {
			return incident.Anomaly{
				Lock: l.Name, Time: g.Granted(), Ops: incident.Ops(g.Inv, g.Ret, next.inv, next.ret, g.FirstTold()),
				Sentence: fmt.Sprintf("%s learned at %s that it leads %s in term %d (%s) although term %d had begun by %s: its term was already over, and the lock did not say so",
					timeline.Who(g.Client), timeline.At(g.Granted()), l.Name, g.Token, g.Name(), next.term, timeline.At(next.by)),
			}
		})
	}
}

// toldAtOnce reports whether a lease said itself that it was over as soon as it was granted.
// The answer was out of date when it arrived, and the holder learned that at once.
func (r *zombie) toldAtOnce(g *timeline.Lease) bool {
	return r.run.Options.Bounded && g.Empty() || r.run.Options.Watched && g.Lost != nil && timeline.ToldAt(g.Lost)-g.Granted() <= r.run.Options.Patience()
}

// leftover finds leaders that others still see after they have resigned, or have given their
// campaign up.
//
// Guarantee: a candidate that is gone is seen for no longer than FreeWithin and its slack. For
// that long, an observer that asks a follower may see an old state.
//
// A campaign of unknown outcome is left out, since its candidate may still lead. Values under
// which somebody campaigned twice are left out, too, because nobody knows which of the
// campaigns was seen.
type leftover struct{ base }

func (r *leftover) check(p *timeline.Piece) {
	if !r.run.Options.IsElection() || r.run.Options.FreeWithin <= 0 {
		return
	}
	l, waits := p.Lock, p.Calls
	last, campaigns := map[string]*timeline.Observation{}, map[string]int{}
	for _, o := range l.Observations {
		// The observation that was called last is the strongest evidence, whenever it was answered.
		if before := last[o.Leader()]; before == nil || o.Inv.Time > before.Inv.Time {
			last[o.Leader()] = o
		}
	}
	for _, w := range waits {
		campaigns[w.Inv.Candidate()]++
	}
	for _, w := range waits {
		ended, why := w.GaveUp()
		o := last[w.Inv.Candidate()]
		if ended == nil || o == nil || o.Leader() == "" || campaigns[w.Inv.Candidate()] > 1 || o.Inv.Time-ended.Time <= r.run.Options.FreeBy() {
			continue
		}
		r.found.Add("orphan", ended.Time, func() incident.Anomaly {
			return incident.Anomaly{
				Lock: l.Name, Time: o.Ret.Time, Ops: incident.Ops(w.Inv, ended, o.Inv, o.Ret),
				Sentence: fmt.Sprintf("%s still saw %s (%s) lead %s at %s, although that client %s at %s",
					timeline.Who(r.run.Client(o.Inv)), timeline.Who(w.Client), o.Leader(), l.Name, timeline.At(o.Inv.Time), why, timeline.At(ended.Time)),
			}
		})
	}
}
