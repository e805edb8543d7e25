package checker_test

import (
	"slices"

	"locktorture/history"
)

// lasted reports whether a call lasted so long that it would have been told of a free lock.
func (r *reference) lasted(c *refOp) bool {
	call, end := c.inv.Time, r.endOf(c)
	if end-call > r.toldBy() {
		return true
	}
	served := r.servedSince(c, c.line, true)
	if c.inv.F != history.Acquire || r.tells < 0 || served > call || r.upset(c.inv.Client, served, end) {
		return false
	}
	return end-call-covered(r.stalls, call, end)-int64(r.o.Retry) > max(100*ms, 4*r.tells, r.tells+r.pace(call, end))
}

// usuallyTold is how long the lock usually takes at the most to tell a grant; -1 if fewer than
// 20 show it.
func (r *reference) usuallyTold() int64 {
	var told []int64
	for _, g := range r.leases {
		last := -1
		for _, x := range r.leases {
			if x.lock == g.lock && x.line < g.line {
				last = max(last, x.line)
			}
		}
		freed := int64(-1)
		for i, e := range r.h[:g.line] {
			if e.F == history.Release && e.Type == history.Invoke && e.Lock == g.lock && i > last {
				freed = e.Time
			}
		}
		if freed >= 0 && g.op.inv.F == history.Acquire && !r.o.Reentrant {
			told = append(told, g.ret-max(g.call, freed))
		}
	}
	if len(told) < 20 {
		return -1
	}
	slices.Sort(told)
	return max(told[len(told)*99/100], r.trip)
}
