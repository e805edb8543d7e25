package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"locktorture/history"
)

// fenceLockout finds operations of the newest grant that the fenced store refused although
// every other grant that had touched the store by then was surely older. It counts the
// refusals that were right, for the grade.
type fenceLockout struct {
	base
	totals *totals
	users  [2]*lease // of the store: the two latest grants
}

func (r *fenceLockout) check(p *piece) {
	users := firstUses(p.accesses)
	var refusals []*access
	for _, a := range p.accesses {
		if a.inv.Store == history.Fenced && a.refusedByStore() {
			refusals = append(refusals, a)
		}
	}
	slices.SortStableFunc(refusals, func(a, b *access) int { return cmp.Compare(a.ret.Time, b.ret.Time) })
	for _, a := range refusals {
		for len(users) > 0 && users[0].inv.Time < a.ret.Time {
			r.uses(users[0].lease.grant())
			users = users[1:]
		}
		other := r.users[0]
		if other == a.lease.grant() {
			other = r.users[1]
		}
		if other == nil || other.before(a.lease) {
			r.report(a, other)
		} else {
			r.totals.refusedStale++
		}
	}
	for _, u := range users {
		r.uses(u.lease.grant())
	}
}

// uses keeps the two latest returned grants among the users of the fenced
// store, so that a grant is not compared with itself.
// uses notes a grant under which the store was used.
func (r *fenceLockout) uses(g *lease) {
	first, second := r.users[0], r.users[1]
	if first == nil || g.granted() > first.granted() {
		first, second = g, first
	} else if second == nil || g.granted() > second.granted() {
		second = g
	}
	r.users = [2]*lease{first, second}
}

// firstUses returns the first operation on the fenced store of each lease, in
// the order of their calls.
func firstUses(list []*access) []*access {
	var out []*access
	used := map[*lease]bool{}
	for _, a := range list {
		if a.inv.Store == history.Fenced && a.sent() && !a.refusedByStore() && !used[a.lease.grant()] {
			used[a.lease.grant()] = true
			out = append(out, a)
		}
	}
	return out
}

func (r *fenceLockout) report(a *access, other *lease) {
	from := int64(math.MaxInt64)
	if other != nil {
		from = other.inv.Time
	}
	r.found.add("fence-lockout", min(from, a.lease.inv.Time), func() Anomaly {
		before := "no other grant had used it"
		w := ops(a.lease.inv, a.lease.ret, a.inv, a.ret)
		if other != nil {
			before = fmt.Sprintf("the latest before was %s's %s, granted at %s", who(other.client), other.name(), at(other.granted()))
			w = ops(other.ret, a.lease.inv, a.lease.ret, a.inv, a.ret)
		}
		return Anomaly{
			Lock: a.lease.lock.name, Store: history.Fenced, Key: a.inv.Key, Time: a.ret.Time, Ops: w,
			Sentence: fmt.Sprintf("the fenced store refused %s, who held the newest grant of %s (%s, granted at %s), at %s: %s",
				who(a.lease.client), a.lease.lock.name, a.lease.name(), at(a.lease.granted()), at(a.ret.Time), before),
		}
	})
}
