package checker

import (
	"fmt"
	"math"
)

// lateNotice finds holders of watched leases without a declared validity that learnt too late
// that the lock had been granted to another. The fold has computed by how much (lease.lag).
type lateNotice struct{ base }

func (r *lateNotice) check(p *piece) {
	if !r.run.o.onlyWatched() {
		return
	}
	for _, g := range p.fresh() {
		if g.lag > 0 {
			r.report(g)
		}
	}
}

func (r *lateNotice) report(g *lease) {
	r.found.add("late-notice", g.inv.Time, func() Anomaly {
		told := "was told at " + at(g.told)
		switch {
		case g.told == math.MaxInt64:
			told = "was never told until the history ended at " + at(r.run.end)
		case g.crash != nil && g.told == g.killed:
			told = "was not told until it was killed at " + at(g.told)
		case g.relCall != nil && g.told == g.relCall.Time:
			told = "was not told until it released at " + at(g.told)
		}
		return Anomaly{
			Lock: g.lock.name, Time: min(g.told, r.run.end),
			Ops: ops(g.inv, g.ret, g.next.inv, g.next.ret, g.lost, g.over, g.relCall, g.crash),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s), but %s, who held %s since %s, %s: %s late, not counted the time for which it was stopped or the machine stalled, a round trip of %s, and %s that this machine may keep others waiting",
				who(g.next.client), g.lock.name, at(g.next.granted()), g.next.name(), who(g.client), g.name(), at(g.granted()), told,
				dur(g.lag), dur(r.run.usualTrip), dur(r.run.noticeTakes(max(g.next.granted(), g.granted()), min(g.told, r.run.end))-r.run.usualTrip)),
		}
	})
}
