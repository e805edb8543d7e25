package checker

import "fmt"

// doubleGrants finds grants that returned while an earlier lease of another
// process was still promised. It keeps the two longest promises so far, of
// different processes, so that a holder is never compared with itself.
func (v *view) doubleGrants(l *lockView) {
	if v.onlyWatched() {
		return // what such a lease promises is a notice: lateNotices
	}
	first, second := l.past.longest[0], l.past.longest[1]
	for _, g := range l.fresh() {
		other := first
		if first != nil && first.process == g.process {
			other = second
		}
		if other != nil && g.granted() < other.end && !(v.o.Bounded && g.empty()) {
			v.doubleGrant(l.found, other, g)
		}
		switch {
		case first == nil || g.end > first.end:
			if first != nil && first.process != g.process {
				second = first
			}
			first = g
		case g.process != first.process && (second == nil || g.end > second.end):
			second = g
		}
	}
	l.past.longest = [2]*lease{first, second}
}

func (v *view) doubleGrant(f *findings, a, b *lease) {
	f.add("double-grant", a.inv.Time, func() Anomaly {
		own := ""
		if v.o.Bounded && len(b.answers) > 0 {
			own = ", itself " + b.declared()
		}
		w := ops(a.inv, a.ret, a.lastTold(), b.inv, b.ret, b.firstTold())
		return Anomaly{
			Lock: b.lock.name, Time: b.granted(), Ops: w,
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s%s) although %s's %s, granted at %s, %s",
				who(b.client), b.lock.name, at(b.granted()), b.name(), own, who(a.client), a.name(), at(a.granted()), a.holds(v.o)),
		}
	})
}
