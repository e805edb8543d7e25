package checker

import (
	"fmt"

	"locktorture/history"
)

// doubleGrants finds grants that returned while an earlier lease of another process was still
// promised, and that cannot both be held. It keeps the two longest promises so far, of
// different processes, so that a holder is never compared with itself: those of whole locks
// and those of readers apart, because a reader is compared with no other. A writer that was
// let in beside both is found twice, for each once.
func (v *view) doubleGrants(l *lockView) {
	if v.onlyWatched() {
		return // what such a lease promises is a notice: lateNotices
	}
	for _, g := range v.withUpgrades(l.fresh()) {
		if g.permits > 0 {
			continue // the sum of all decides: overCapacities
		}
		others := []*lease{l.past.longest.of(g.process)}
		if !g.shared {
			others = append(others, l.past.readers.of(g.process))
		}
		for _, other := range others {
			if other != nil && g.granted() < other.end && !(v.o.Bounded && g.empty()) {
				v.doubleGrant(l.found, other, g)
			}
		}
		if g.shared {
			l.past.readers.add(g)
		} else {
			l.past.longest.add(g)
		}
	}
}

// longestPromises are the two longest, of different processes.
type longestPromises [2]*lease

// of is the longest promise of another process, nil for none.
func (p *longestPromises) of(process int) *lease {
	if p[0] != nil && p[0].process == process {
		return p[1]
	}
	return p[0]
}

func (p *longestPromises) add(g *lease) {
	switch {
	case p[0] == nil || g.end > p[0].end:
		if p[0] != nil && p[0].process != g.process {
			p[1] = p[0]
		}
		p[0] = g
	case g.process != p[0].process && (p[1] == nil || g.end > p[1].end):
		p[1] = g
	}
}

func (v *view) doubleGrant(f *findings, a, b *lease) {
	kind := "double-grant"
	switch {
	case a.shared != b.shared:
		kind = "reader-beside-writer"
	case a.campaign && b.campaign:
		kind = "two-leaders"
	}
	if a.changing(b.granted()) != nil {
		kind = "upgrade-gap"
	}
	f.add(kind, a.inv.Time, func() Anomaly {
		entries := []*history.Op{a.inv, a.ret, a.lastTold(), b.inv, b.ret, b.firstTold()}
		own, during := "", ""
		if v.o.Bounded && len(b.answers) > 0 {
			own = ", itself " + b.declared()
		}
		if c := a.changing(b.granted()); c != nil {
			entries = append(entries, c.Invoke, c.Return)
			during = fmt.Sprintf("; its %s, called at %s, was under way", c.Invoke.F, at(c.Invoke.Time))
		}
		return Anomaly{
			Lock: b.lock.name, Time: b.granted(), Ops: ops(entries...),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s%s) although %s's %s, granted at %s, %s%s",
				who(b.client), b.what(), at(b.granted()), b.name(), own, who(a.client), a.claimed(), at(a.granted()), a.holds(v.o), during),
		}
	})
}
