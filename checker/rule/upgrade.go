package rule

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// An upgrading is an upgrade while it was under way; end is when it was over, or its lease was.
type upgrading struct {
	lease *timeline.Lease
	call  history.Call
	end   int64
}

// upgradeDeadlock finds two readers that waited to become the writer, each for the other to leave.
//
// Guarantee: one of them is refused within FreeWithin, since neither can ever be let in.
//
// Neither reader leaves while it waits, and no writer may be let in beside a reader. This needs no
// evidence of a free lock, which is why it is apart from the other deadlocks.
type upgradeDeadlock struct{ base }

func (r *upgradeDeadlock) check(p *timeline.Piece) {
	if r.run.Options.FreeWithin <= 0 {
		return
	}
	var all []upgrading
	for _, g := range p.Fresh() {
		for _, c := range g.Changes {
			// Only upgrades that are too long by themselves are compared in pairs.
			if end := min(timeline.EndOfCall(c), g.Gone, r.run.End); c.Invoke.F == history.Upgrade && end-c.Invoke.Time > r.run.Options.FreeBy() {
				all = append(all, upgrading{g, c, end})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b upgrading) int { return cmp.Compare(a.call.Invoke.Time, b.call.Invoke.Time) })
	for i, b := range all {
		for _, a := range all[:i] {
			if a.lease.Process != b.lease.Process && r.eachOther(p.Fresh(), a, b) {
				r.report(a, b)
				break
			}
		}
	}
}

// eachOther reports whether two upgrades were under way together for longer than a lock may
// take to be free. In that time no fault may be in place, and nobody else may hold the lock
// whose leaving they may have waited for.
func (r *upgradeDeadlock) eachOther(leases []*timeline.Lease, a, b upgrading) bool {
	from, to := b.call.Invoke.Time, min(a.end, b.end)
	for _, g := range leases {
		// Any other holder may have been the reason until it left.
		if g != a.lease && g != b.lease && g.Granted() < to {
			from = max(from, g.Gone)
		}
	}
	return to-from > r.run.Options.FreeBy()+r.run.Stalled(from, to) && len(r.run.Disturbances(from, to)) == 0
}

func (r *upgradeDeadlock) report(a, b upgrading) {
	from, to := b.call.Invoke.Time, min(a.end, b.end)
	r.found.Add("deadlock", a.lease.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: a.lease.Lock.Name, Time: to, Ops: incident.Ops(a.lease.Ret, b.lease.Ret, a.call.Invoke, b.call.Invoke, a.call.Return, b.call.Return),
			Sentence: fmt.Sprintf("%s (%s) and %s (%s), both readers of %s, wanted to become the writer: from %s to %s each waited for the other to leave. The lock must refuse one of them",
				timeline.Who(a.lease.Client), a.lease.Name(), timeline.Who(b.lease.Client), b.lease.Name(), a.lease.Lock.Name, timeline.At(from), timeline.At(to)),
		}
	})
}
