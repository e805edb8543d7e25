package checker

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/history"
)

// A termSeen is that a term had begun by some time: it was observed, or its leader had been
// told.
type termSeen struct {
	term uint64
	by   int64
	inv  *history.Op
	ret  *history.Op
}

// termsSeen are the terms that had begun by and by: each is greater than all before.
func termsSeen(l *lockView) []termSeen {
	var all []termSeen
	for _, o := range l.observations {
		all = append(all, termSeen{o.term(), o.ret.Time, o.inv, o.ret})
	}
	for _, g := range l.leases {
		all = append(all, termSeen{g.token, g.granted(), g.inv, g.ret})
	}
	slices.SortStableFunc(all, func(a, b termSeen) int { return cmp.Compare(a.by, b.by) })
	greatest := uint64(0)
	return slices.DeleteFunc(all, func(s termSeen) bool {
		less := s.term <= greatest
		greatest = max(greatest, s.term)
		return less
	})
}

// zombie finds candidates that were told that they lead when a later term had begun already:
// they could not win any more.
type zombie struct{ base }

func (r *zombie) check(p *piece) {
	if !r.run.o.isElection() {
		return
	}
	l := p.lockView
	seen := termsSeen(l)
	for _, g := range l.leases {
		i, _ := slices.BinarySearchFunc(seen, g.granted(), func(s termSeen, at int64) int { return cmp.Compare(s.by, at) })
		if g.token == 0 || i == 0 || seen[i-1].term <= g.token || r.toldAtOnce(g) {
			continue
		}
		next := seen[i-1]
		r.found.add("zombie-candidate", g.inv.Time, func() Anomaly {
			return Anomaly{
				Lock: l.name, Time: g.granted(), Ops: ops(g.inv, g.ret, next.inv, next.ret, g.firstTold()),
				Sentence: fmt.Sprintf("%s was told at %s that it leads %s in term %d (%s) although term %d had begun by %s: its campaign was lost, and it was not told so",
					who(g.client), at(g.granted()), l.name, g.token, g.name(), next.term, at(next.by)),
			}
		})
	}
}

// toldAtOnce reports whether a lease said itself that it was over as soon as it was granted.
func (r *zombie) toldAtOnce(g *lease) bool {
	return r.run.o.Bounded && g.empty() || r.run.o.Watched && g.lost != nil && toldAt(g.lost)-g.granted() <= r.run.o.patience()
}

// leftover finds leaders that others still see when they have resigned, or have given their
// campaign up, longer ago than the election needs to be free of who is gone.
type leftover struct{ base }

func (r *leftover) check(p *piece) {
	if !r.run.o.isElection() || r.run.o.FreeWithin <= 0 {
		return
	}
	l, waits := p.lockView, p.calls
	last, campaigns := map[string]*observation{}, map[string]int{}
	for _, o := range l.observations {
		if before := last[o.leader()]; before == nil || o.inv.Time > before.inv.Time {
			last[o.leader()] = o
		}
	}
	for _, w := range waits {
		campaigns[w.inv.Candidate()]++
	}
	for _, w := range waits {
		ended, why := w.gaveUp()
		o := last[w.inv.Candidate()]
		if ended == nil || o == nil || o.leader() == "" || campaigns[w.inv.Candidate()] > 1 || o.inv.Time-ended.Time <= r.run.o.freeBy() {
			continue
		}
		r.found.add("orphan", ended.Time, func() Anomaly {
			return Anomaly{
				Lock: l.name, Time: o.ret.Time, Ops: ops(w.inv, ended, o.inv, o.ret),
				Sentence: fmt.Sprintf("%s still saw %s (%s) lead %s at %s, although that client %s at %s",
					who(r.run.client(o.inv)), who(w.client), o.leader(), l.name, at(o.inv.Time), why, at(ended.Time)),
			}
		})
	}
}
