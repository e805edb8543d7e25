package checker

import (
	"cmp"

	"locktorture/history"
)

// event adds an entry that nobody invoked.
func (v *view) event(op *history.Op) {
	switch op.F {
	case history.Fault, history.Heal:
		v.addFault(op)
	case history.Probe:
		l := v.lock(op.Lock)
		l.probes = append(l.probes, op)
	case history.Crash:
		v.crash(op)
	case history.Lost:
		v.lost(op)
	}
}

// crash ends every lease of the killed client, whatever process number it
// had when the lease was granted.
func (v *view) crash(op *history.Op) {
	v.crashed[op.Process] = op.Time
	v.crashes = append(v.crashes, op)
	c := v.client(op)
	for _, l := range v.live[c] {
		l.crash, l.killed = op, v.killedAt(op)
	}
	delete(v.live, c)
}

// killedAt is the earliest moment at which the client can have died: when the
// kill was sent, if the entry says so in until_min, else its last sign of
// life. The entry itself is written when the process is gone for certain, and
// the service may have seen its connection end before.
func (v *view) killedAt(op *history.Op) int64 {
	if op.UntilMin > 0 {
		return min(op.UntilMin, op.Time)
	}
	if t, ok := v.alive[v.client(op)]; ok {
		return t
	}
	return op.Time
}

func (v *view) lost(op *history.Op) {
	l := v.byLease[op.Lease]
	if l == nil {
		for _, g := range v.live[v.client(op)] {
			if g.lock == op.Lock {
				l = g
			}
		}
	}
	if l != nil && l.lost == nil {
		l.lost = op
	}
}

// operation adds an operation; ret is nil if it never returned.
func (v *view) operation(inv, ret *history.Op) {
	switch inv.F {
	case history.Acquire, history.Try:
		v.acquire(inv, ret)
	case history.Read, history.Write, history.CAS:
		a := &access{inv: inv, ret: ret, lease: v.leaseOf(inv, ret)}
		v.stores = append(v.stores, a)
		if a.lease != nil {
			l := v.lock(a.lease.lock)
			l.accesses = append(l.accesses, a)
		}
	default:
		if l := v.leaseOf(inv, ret); l != nil {
			v.onLease(l, inv, ret)
		}
	}
}

func (v *view) leaseOf(inv, ret *history.Op) *lease {
	n := inv.Lease
	if ret != nil {
		n = cmp.Or(n, ret.Lease)
	}
	return v.byLease[n]
}

func (v *view) acquire(inv, ret *history.Op) {
	w := &wait{inv: inv, ret: ret, lock: inv.Lock, client: v.client(inv), process: inv.Process, call: inv.Time}
	l := v.lock(inv.Lock)
	l.waits = append(l.waits, w)
	if ret == nil || ret.Type != history.OK {
		return
	}
	g := &lease{
		lock: inv.Lock, process: inv.Process, client: w.client, n: ret.Lease, token: ret.Token, owner: ret.Value,
		inv: inv, ret: ret, since: inv.Time,
	}
	w.lease = g
	l.leases = append(l.leases, g)
	v.byLease[g.n] = g
	v.live[g.client] = append(v.live[g.client], g)
	if g.owner != "" {
		key := ownerKey{g.lock, g.owner}
		v.owners[key] = append(v.owners[key], g)
	}
}

// onLease adds what was done with a lease itself.
func (v *view) onLease(l *lease, inv, ret *history.Op) {
	switch inv.F {
	case history.Ask:
		switch {
		case ret == nil:
		case ret.Type == history.OK:
			l.answers = append(l.answers, answer{ret.Time, ret.UntilMin, ret.UntilMax, ret})
		case ret.Type == history.Fail && ret.Refused == history.ByClient && l.over == nil:
			l.over = ret
		}
	case history.Renew:
		l.renewals = append(l.renewals, history.Call{Invoke: inv, Return: ret})
	case history.Release:
		if l.relCall == nil {
			l.relCall, l.relRet = inv, ret
		} else {
			l.again = append(l.again, history.Call{Invoke: inv, Return: ret})
		}
		v.drop(l)
	}
}

// drop takes a released lease from those that a crash would end.
func (v *view) drop(l *lease) {
	live := v.live[l.client]
	for i, g := range live {
		if g == l {
			v.live[l.client] = append(live[:i], live[i+1:]...)
			return
		}
	}
}
