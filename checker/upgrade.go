package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"locktorture/history"
)

// A reader whose lease is upgraded promises on what it promised, to be beside readers alone.
// What it becomes is a grant of its own: the writer's, from the answer to the upgrade to the
// call of the downgrade.

// withUpgrades are leases and what they became, in the order in which they were granted.
func withUpgrades(list []*lease) []*lease {
	out := slices.Clip(list)
	for _, g := range list {
		for i, c := range g.changes {
			if !succeeded(c, history.Upgrade) {
				continue
			}
			w := *g
			w.inv, w.ret, w.shared, w.upgraded, w.changes = c.Invoke, c.Return, false, g, g.changes[i+1:]
			for _, d := range w.changes {
				if d.Invoke.F == history.Downgrade {
					w.end = min(w.end, d.Invoke.Time)
					break
				}
			}
			out = append(out, &w)
		}
	}
	if len(out) > len(list) {
		slices.SortStableFunc(out, func(a, b *lease) int { return cmp.Compare(a.granted(), b.granted()) })
	}
	return out
}

func succeeded(c history.Call, f history.F) bool {
	return c.Invoke.F == f && c.Return != nil && c.Return.Type == history.OK
}

// changing is the upgrade or the downgrade of a lease that was under way at a moment; nil for
// none.
func (l *lease) changing(at int64) *history.Call {
	for i := range l.changes {
		if c := &l.changes[i]; c.Invoke.Time < at && at <= endOfCall(*c) {
			return c
		}
	}
	return nil
}

// endOfCall is when a call returned, the end of time if it never did.
func endOfCall(c history.Call) int64 {
	if c.Return == nil {
		return math.MaxInt64
	}
	return c.Return.Time
}

// An upgrading is an upgrade while it was under way.
type upgrading struct {
	lease *lease
	call  history.Call
	end   int64
}

// upgradeDeadlock finds two readers that waited to become the writer, each for the other to
// leave.
type upgradeDeadlock struct{ base }

func (r *upgradeDeadlock) check(p *piece) {
	if r.run.o.FreeWithin <= 0 {
		return
	}
	var all []upgrading
	for _, g := range p.fresh() {
		for _, c := range g.changes {
			if end := min(endOfCall(c), g.gone, r.run.end); c.Invoke.F == history.Upgrade && end-c.Invoke.Time > r.run.o.freeBy() {
				all = append(all, upgrading{g, c, end})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b upgrading) int { return cmp.Compare(a.call.Invoke.Time, b.call.Invoke.Time) })
	for i, b := range all {
		for _, a := range all[:i] {
			if a.lease.process != b.lease.process && r.eachOther(p.fresh(), a, b) {
				r.report(a, b)
				break
			}
		}
	}
}

// eachOther reports whether two upgrades were under way together, with no fault in place and
// nobody else there whose leaving they may have waited for, for longer than a lock may take to
// be free.
func (r *upgradeDeadlock) eachOther(leases []*lease, a, b upgrading) bool {
	from, to := b.call.Invoke.Time, min(a.end, b.end)
	for _, g := range leases {
		if g != a.lease && g != b.lease && g.granted() < to {
			from = max(from, g.gone)
		}
	}
	return to-from > r.run.o.freeBy()+r.run.stalled(from, to) && len(r.run.disturbances(from, to)) == 0
}

func (r *upgradeDeadlock) report(a, b upgrading) {
	from, to := b.call.Invoke.Time, min(a.end, b.end)
	r.found.add("deadlock", a.lease.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: a.lease.lock.name, Time: to, Ops: ops(a.lease.ret, b.lease.ret, a.call.Invoke, b.call.Invoke, a.call.Return, b.call.Return),
			Sentence: fmt.Sprintf("%s with %s and %s with %s, both readers of %s, waited from %s to %s to become the writer, each for the other to leave: one of them must be refused",
				who(a.lease.client), a.lease.name(), who(b.lease.client), b.lease.name(), a.lease.lock.name, at(from), at(to)),
		}
	})
}
