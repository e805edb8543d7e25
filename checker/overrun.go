package checker

import (
	"fmt"
	"math"
)

// overrun finds holders that went on after their lease was over: store operations that were
// sent after the validity last declared or after another grant had returned, and those that
// were sent in time and landed after the next holder's. As long as the promise lasted, the lock
// broke its word and not the holder.
type overrun struct {
	base
	landed   int64 // the latest grant of a whole lock under which a store applied an operation
	landedBy int64 // the same of readers
}

func newOverrun(b base) *overrun {
	return &overrun{base: b, landed: math.MinInt64, landedBy: math.MinInt64}
}

func (r *overrun) check(p *piece) {
	late := r.landedLate(p.accesses)
	for _, a := range p.accesses {
		if a.sent() {
			r.access(a, late[a])
		}
	}
}

// access judges one operation that was sent.
func (r *overrun) access(a *access, landedLate bool) {
	g, t := a.lease, a.inv.Time
	if t >= g.end {
		if r.run.o.Bounded {
			if last, ok := g.lastAnswer(t); ok && t > last.max && !g.renewedSince(last.at, t) {
				r.report(a, fmt.Sprintf("%s after its lease had expired (%s)", dur(t-last.max), at(last.max)))
				return
			}
		}
		if g.next != nil && g.next.granted() < t {
			r.report(a, fmt.Sprintf("after %s had been granted %s at %s", who(g.next.client), g.next.name(), at(g.next.granted())))
		}
		return
	}
	late := landedLate || a.refusedByStore()
	if late && g.next != nil && g.next.granted() >= g.end && g.next.granted() < a.returned() {
		r.report(a, fmt.Sprintf("which was sent in time but landed after %s had been granted %s at %s",
			who(g.next.client), g.next.name(), at(g.next.granted())))
	}
}

func (r *overrun) report(a *access, how string) {
	g := a.lease
	r.found.add("overrun", g.inv.Time, func() Anomaly {
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
func (r *overrun) landedLate(list []*access) map[*access]bool {
	late := make(map[*access]bool)
	for _, a := range inApplyOrder(list) {
		g := a.lease.grant()
		if g.permits > 0 {
			continue // others hold theirs beside it
		}
		if g.granted() < r.landed || !g.shared && g.granted() < r.landedBy {
			late[a] = true
		}
		if g.shared {
			r.landedBy = max(r.landedBy, g.granted())
		} else {
			r.landed = max(r.landed, g.granted())
		}
	}
	return late
}
