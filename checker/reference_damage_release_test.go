package checker_test

import "locktorture/history"

// steal has a server free a lock that it was seen to keep for one, by the release of another
// who had it before.
func (d *damager) steal() {
	i := d.one(func(op *history.Op) bool { return op.F == history.Probe && op.Value != "" })
	if i < 0 {
		return
	}
	seen := d.h[i]
	holder := d.next(0, func(op *history.Op) bool { return isGrant(op) && op.Lock == seen.Lock && op.Value == seen.Value })
	j := d.one(func(op *history.Op) bool {
		return isGrant(op) && op.Lock == seen.Lock && holder >= 0 && op.Client != d.h[holder].Client && op.Time < d.h[holder].Time
	})
	if j < 0 {
		return
	}
	grant := d.h[j]
	for n := range d.h[i+1:] {
		d.later(&d.h[i+1+n], 5*ms)
	}
	call := history.Op{Time: seen.Time + ms, Process: grant.Process, Client: grant.Client, Type: history.Invoke, F: history.Release, Lock: grant.Lock, Lease: grant.Lease}
	if d.r.IntN(4) == 0 {
		call.F = history.Renew
	}
	end, gone := call, seen
	end.Time, end.Type = seen.Time+3*ms, history.OK
	gone.Time, gone.Value, gone.UntilMax = seen.Time+4*ms, "", 0
	tail := append(history.History{call, end, gone}, d.h[i+1:]...)
	d.h = append(d.h[:i+1:i+1], tail...)
}
