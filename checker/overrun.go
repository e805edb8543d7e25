package checker

import "fmt"

// overruns finds holders that went on after their lease was over: store
// operations sent after the validity last told, or after another grant had
// returned, or sent in time and landed after the next holder's, in a lease
// whose promise had ended by then. While the promise lasted it is the lock
// that broke its word, not the holder.
func (v *view) overruns(l *lockView) {
	landed := l.landedLate()
	for _, a := range l.accesses {
		if a.sent() {
			v.overrun(l.found, a, landed[a])
		}
	}
}

func (v *view) overrun(f *findings, a *access, landedLate bool) {
	g, t := a.lease, a.inv.Time
	if t >= g.end {
		if v.o.Bounded {
			if last, ok := g.lastAnswer(t); ok && t > last.max && !g.renewedSince(last.at, t) {
				v.addOverrun(f, a, fmt.Sprintf("%s after its lease had expired (%s)", dur(t-last.max), at(last.max)))
				return
			}
		}
		if g.next != nil && g.next.granted() < t {
			v.addOverrun(f, a, fmt.Sprintf("after %s had been granted %s at %s", who(g.next.client), g.next.name(), at(g.next.granted())))
		}
		return
	}
	late := landedLate || a.refusedByStore()
	if late && g.next != nil && g.next.granted() >= g.end && g.next.granted() < a.returned() {
		v.addOverrun(f, a, fmt.Sprintf("which was sent in time but landed after %s had been granted %s at %s",
			who(g.next.client), g.next.name(), at(g.next.granted())))
	}
}

func (v *view) addOverrun(f *findings, a *access, how string) {
	g := a.lease
	f.add("overrun", g.inv.Time, func() Anomaly {
		last, _ := g.lastAnswer(a.inv.Time)
		w := ops(g.inv, g.ret, last.op, a.inv, a.ret)
		time := a.inv.Time
		if g.next != nil && g.next.granted() < a.returned() {
			w = ops(g.inv, g.ret, last.op, a.inv, a.ret, g.next.inv, g.next.ret)
		}
		what := a.deed()
		if a.refusedByStore() {
			what += " (refused by the store)"
		}
		return Anomaly{
			Lock: g.lock.name, Store: a.inv.Store, Key: a.inv.Key, Time: time, Ops: w,
			Sentence: fmt.Sprintf("%s, under %s of %s, %s at %s, %s", who(g.client), g.name(), g.lock.name, what, at(time), how),
		}
	})
}

// landedLate finds the operations that a store applied after one of a lease
// that was granted later and cannot be held beside theirs.
func (l *lockView) landedLate() map[*access]bool {
	late := make(map[*access]bool)
	for _, a := range inApplyOrder(l.accesses) {
		g := a.lease.grant()
		if g.permits > 0 {
			continue // others hold theirs beside it
		}
		if g.granted() < l.past.landed || !g.shared && g.granted() < l.past.landedBy {
			late[a] = true
		}
		if g.shared {
			l.past.landedBy = max(l.past.landedBy, g.granted())
		} else {
			l.past.landed = max(l.past.landed, g.granted())
		}
	}
	return late
}
