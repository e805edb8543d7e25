package checker

import (
	"fmt"

	"locktorture/history"
)

// doubleGrant finds grants that returned while an earlier lease of another process was still
// promised, where the two cannot both be held. A writer that was let in beside a writer and a
// reader counts once for each of them.
//
// Two promises are enough of a memory: the longest one and the longest one of any other
// process, so that a holder is never compared with itself. Promises of readers are kept apart,
// because a reader is compared with writers only.
type doubleGrant struct {
	base
	longest longestPromises // of whole locks
	readers longestPromises
}

func (r *doubleGrant) check(p *piece) {
	if r.run.o.onlyWatched() {
		return // such a lease promises a notice, which lateNotice judges
	}
	for _, g := range withUpgrades(p.fresh()) {
		if g.permits > 0 {
			continue // overCapacity judges the sum of all
		}
		others := []*lease{r.longest.of(g.process)}
		if !g.shared {
			others = append(others, r.readers.of(g.process))
		}
		for _, other := range others {
			if other != nil && g.granted() < other.end && !(r.run.o.Bounded && g.empty()) {
				r.report(other, g)
			}
		}
		if g.shared {
			r.readers.add(g)
		} else {
			r.longest.add(g)
		}
	}
}

// longestPromises are the longest promise and the longest one of any other process.
type longestPromises [2]*lease

// of returns the longest promise of another process, nil if there is none.
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

// report adds the anomaly of a grant b beside the lease a.
func (r *doubleGrant) report(a, b *lease) {
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
	r.found.add(kind, a.inv.Time, func() Anomaly {
		entries := []*history.Op{a.inv, a.ret, a.lastTold(), b.inv, b.ret, b.firstTold()}
		own, during := "", ""
		if r.run.o.Bounded && len(b.answers) > 0 {
			own = ", itself " + b.declared()
		}
		if c := a.changing(b.granted()); c != nil {
			entries = append(entries, c.Invoke, c.Return)
			during = fmt.Sprintf("; its %s, called at %s, was under way", c.Invoke.F, at(c.Invoke.Time))
		}
		return Anomaly{
			Lock: b.lock.name, Time: b.granted(), Ops: ops(entries...),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s%s) although %s's %s, granted at %s, %s%s",
				who(b.client), b.what(), at(b.granted()), b.name(), own, who(a.client), a.claimed(), at(a.granted()), a.holds(r.run.o), during),
		}
	})
}
