package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// fenceLockout finds operations of the newest grant that the fenced store refused although every
// other grant that had touched the store by then was surely older. It counts the refusals that were
// right, for the grade.
//
// Guarantee: a fence stops only holders that have been overtaken.
//
// A refusal counts as right unless every other user of the store was surely granted before
// (Lease.Before), so grants whose order is uncertain never accuse the store. The user that returned
// latest decides for all: if that one was before, so was every user that returned earlier.
type fenceLockout struct {
	base
	users [2]*timeline.Lease // of the store: the two latest grants
}

func (r *fenceLockout) check(p *timeline.Piece) {
	users := firstUses(p.Accesses)
	var refusals []*timeline.Access
	for _, a := range p.Accesses {
		if a.Inv.Store == history.Fenced && a.RefusedByStore() {
			refusals = append(refusals, a)
		}
	}
	slices.SortStableFunc(refusals, func(a, b *timeline.Access) int { return cmp.Compare(a.Ret.Time, b.Ret.Time) })
	for _, a := range refusals {
		// The store may have seen another token as soon as that operation was called. It
		// counts if that was before the store answered this one.
		for len(users) > 0 && users[0].Inv.Time < a.Ret.Time {
			r.uses(users[0].Lease.Grant())
			users = users[1:]
		}
		other := r.users[0]
		if other == a.Lease.Grant() {
			other = r.users[1]
		}
		if other == nil || other.Before(a.Lease) {
			r.report(a, other)
		} else {
			r.totals.RefusedStale++
		}
	}
	for _, u := range users {
		r.uses(u.Lease.Grant())
	}
}

// uses notes a grant under which the store was used, and keeps the two that returned latest, so
// that a grant is not compared with itself.
func (r *fenceLockout) uses(g *timeline.Lease) {
	first, second := r.users[0], r.users[1]
	if first == nil || g.Granted() > first.Granted() {
		first, second = g, first
	} else if second == nil || g.Granted() > second.Granted() {
		second = g
	}
	r.users = [2]*timeline.Lease{first, second}
}

// firstUses returns the first operation on the fenced store of each lease, in
// the order of their calls.
// Refused operations are left out, because a store does not raise its mark by what it refuses. An
// operation of unknown outcome counts: it may have raised the mark.
func firstUses(list []*timeline.Access) []*timeline.Access {
	var out []*timeline.Access
	used := map[*timeline.Lease]bool{}
	for _, a := range list {
		if a.Inv.Store == history.Fenced && a.Sent() && !a.RefusedByStore() && !used[a.Lease.Grant()] {
			used[a.Lease.Grant()] = true
			out = append(out, a)
		}
	}
	return out
}

func (r *fenceLockout) report(a *timeline.Access, other *timeline.Lease) {
	from := int64(math.MaxInt64)
	if other != nil {
		from = other.Inv.Time
	}
	r.found.Add("fence-lockout", min(from, a.Lease.Inv.Time), func() incident.Anomaly {
		before := "no other grant had used the store"
		w := incident.Ops(a.Lease.Inv, a.Lease.Ret, a.Inv, a.Ret)
		if other != nil {
			before = fmt.Sprintf("the latest other grant that had used the store was %s's %s, granted at %s", timeline.Who(other.Client), other.Name(), timeline.At(other.Granted()))
			w = incident.Ops(other.Ret, a.Lease.Inv, a.Lease.Ret, a.Inv, a.Ret)
		}
		return incident.Anomaly{
			Lock: a.Lease.Lock.Name, Store: history.Fenced, Key: a.Inv.Key, Time: a.Ret.Time, Ops: w,
			Sentence: fmt.Sprintf("the fenced store refused %[1]s at %[5]s, although %[1]s held the newest grant of %[2]s (%[3]s, granted at %[4]s): %[6]s",
				timeline.Who(a.Lease.Client), a.Lease.Lock.Name, a.Lease.Name(), timeline.At(a.Lease.Granted()), timeline.At(a.Ret.Time), before),
		}
	})
}
