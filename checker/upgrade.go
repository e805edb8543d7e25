package checker

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/history"
)

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
