package rule

import (
	"fmt"
	"math"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// overrun finds holders that went on after their lease was over: operations on a store that
// were sent after the validity told last had ended or after another grant had returned, and
// operations that were sent in time but landed after the next holder's.
//
// Guarantee: a holder stops when its lease ends. As long as the promise lasted, the lock broke its
// word and not the holder; so the latest end counts.
//
// An operation is sent at its call, and lands in the order of the apply numbers of the store, which no
// delay of an answer can distort. Between the earliest and the latest end of a validity nobody can say
// whether the lease is over, so an operation then is an overrun only after another grant.
type overrun struct {
	base
	landed   int64 // the latest grant of a whole lock under which a store applied an operation
	landedBy int64 // the same for grants to readers
}

func newOverrun(b base) *overrun {
	return &overrun{base: b, landed: math.MinInt64, landedBy: math.MinInt64}
}

func (r *overrun) check(p *timeline.Piece) {
	late := r.landedLate(p.Accesses)
	for _, a := range p.Accesses {
		if a.Sent() {
			r.access(a, late[a])
		}
	}
}

// access judges one operation that was sent.
func (r *overrun) access(a *timeline.Access, landedLate bool) {
	g, t := a.Lease, a.Inv.Time
	if t >= g.End {
		if how := expired(r.run.Options, a); how != "" {
			r.report(a, how)
		} else if g.Next != nil && g.Next.Granted() < t {
			r.report(a, fmt.Sprintf("after %s had been granted %s at %s", timeline.Who(g.Next.Client), g.Next.Name(), timeline.At(g.Next.Granted())))
		}
		return
	}
	// A fenced store that refuses an operation by its token has seen a later one. Where the next grant
	// came before the promise ended, the lock is to blame and not the holder.
	late := landedLate || a.RefusedByStore()
	if late && g.Next != nil && g.Next.Granted() >= g.End && g.Next.Granted() < a.Returned() {
		r.report(a, fmt.Sprintf("in time, but the operation reached the store after %s had been granted %s at %s",
			timeline.Who(g.Next.Client), g.Next.Name(), timeline.At(g.Next.Granted())))
	}
}

// expired says by how much an operation was sent after the validity that its holder was told
// last; "" if it was not, or if the lease was renewed since.
// A renewal that succeeded since then may have prolonged the lease without a new answer, so nothing
// is claimed after one.
func expired(o timeline.Options, a *timeline.Access) string {
	g, t := a.Lease, a.Inv.Time
	last, told := g.LastAnswer(t)
	if !o.Bounded || t < g.End || !told || t <= last.Max || g.RenewedSince(last.At, t) {
		return ""
	}
	return fmt.Sprintf("%s after its lease had expired (%s)", timeline.Dur(t-last.Max), timeline.At(last.Max))
}

func (r *overrun) report(a *timeline.Access, how string) {
	r.found.Add(incident.Overrun, a.Lease.Inv.Time, func() incident.Anomaly { return overrunBy(a, how) })
}

// overrunBy describes an operation on a store that came too late; how says in which way.
func overrunBy(a *timeline.Access, how string) incident.Anomaly {
	g := a.Lease
	last, _ := g.LastAnswer(a.Inv.Time)
	entries := []*history.Op{g.Inv, g.Ret, last.Op, a.Inv, a.Ret}
	if g.Next != nil && g.Next.Granted() < a.Returned() {
		entries = append(entries, g.Next.Inv, g.Next.Ret)
	}
	what := a.Deed()
	if a.RefusedByStore() {
		what += " (refused by the store)"
	}
	return incident.Anomaly{
		Lock: g.Lock.Name, Store: a.Inv.Store, Key: a.Inv.Key, Time: a.Inv.Time, Ops: incident.Ops(entries...),
		Sentence: fmt.Sprintf("%s, under %s of %s, %s at %s, %s", timeline.Who(g.Client), g.Name(), g.Lock.Name, what, timeline.At(a.Inv.Time), how),
	}
}

// landedLate finds the operations that a store applied too late: after an operation under a
// lease that was granted later and cannot be held beside theirs. It is enough to remember two
// grants, the latest to a writer and the latest to a reader.
func (r *overrun) landedLate(list []*timeline.Access) map[*timeline.Access]bool {
	late := make(map[*timeline.Access]bool)
	for _, a := range timeline.InApplyOrder(list) {
		g := a.Lease.Grant()
		if g.Permits > 0 {
			continue // others hold theirs beside it
		}
		if g.Granted() < r.landed || !g.Shared && g.Granted() < r.landedBy {
			late[a] = true
		}
		if g.Shared {
			r.landedBy = max(r.landedBy, g.Granted())
		} else {
			r.landed = max(r.landed, g.Granted())
		}
	}
	return late
}
