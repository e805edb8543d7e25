package checker

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// event adds an entry that nobody invoked.
func (v *view) event(op *history.Op) {
	switch op.F {
	case history.Probe:
		if l := v.lock(op.Lock); op.Holds != nil {
			l.listings = append(l.listings, op)
		} else {
			l.sights.add(v.survey, l, op)
		}
	case history.Crash:
		v.crash(op)
	case history.Lost:
		v.lost(op)
	}
}

// crash ends every lease of the killed client, whatever process number it
// had when the lease was granted.
func (v *view) crash(op *history.Op) {
	c := v.client(op)
	for _, g := range v.live[c] {
		g.crash, g.killed, g.endLine = op, v.killedAt(op), v.at
		v.over(g)
	}
	delete(v.live, c)
}

// killedAt is the earliest moment at which the client can have died: when the
// kill was sent, if the entry says so, else its last sign of
// life. The entry itself is written when the process is gone for certain, and
// the service may have seen its connection end before.
func (v *view) killedAt(op *history.Op) int64 {
	if at, ok := op.Began(); ok {
		return at
	}
	if t, ok := v.alive[v.client(op)]; ok {
		return t
	}
	return op.Time
}

func (v *view) lost(op *history.Op) {
	l := v.byLease[op.Lease]
	delete(v.sound, v.client(op))
	if l == nil {
		for _, g := range v.live[v.client(op)] {
			if g.lock.name == op.Lock {
				l = g
			}
		}
	}
	if l != nil && l.lost == nil {
		l.lost = op
		if l.crash == nil {
			l.endLine = v.at
		}
	}
}

// operation adds an operation that is no wait; ret is nil if it never returned.
func (v *view) operation(inv, ret *history.Op, line int) {
	g := v.leaseOf(inv, ret)
	switch inv.F {
	case history.Read, history.Write, history.CAS:
		a := &access{inv: inv, ret: ret, lease: g}
		v.to.stores.add(a, line, v.at)
		if g != nil {
			g.lock.accesses = append(g.lock.accesses, a)
			v.grow(g.lock)
		}
	case history.Observe:
		if ret != nil {
			v.sound.heard(v.client(inv), inv, ret)
			v.observed(inv, ret, line)
		}
	default:
		if ret != nil && (inv.F != history.Ask || ret.Type != history.OK) {
			v.sound.heard(v.client(inv), inv, ret)
		}
		if g != nil {
			v.onLease(g, inv, ret, line)
			v.grow(g.lock)
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

// answered ends a wait.
func (v *view) answered(w *wait, ret *history.Op) {
	l := w.lock
	l.pending = slices.DeleteFunc(l.pending, func(p *wait) bool { return p == w })
	if w.gap {
		l.blockers--
	}
	w.ret = ret
	l.waits = append(l.waits, w)
	if ret.Type == history.OK {
		v.grant(l, w)
	}
	v.sound.heard(w.client, w.inv, ret)
	v.finishWait(w)
	v.to.locks.ended(l, w)
	v.grow(l)
}

func (v *view) grant(l *lockView, w *wait) {
	g := &lease{
		lock: w.lock, process: w.process, client: w.client, n: w.ret.Lease, token: w.ret.Token, owner: w.ret.Owner(),
		wait: w, inv: w.inv, ret: w.ret, line: w.line, since: w.call, asked: math.MaxInt64,
		shared: w.inv.Mode == history.Shared, campaign: w.inv.Mode == history.Campaign, permits: w.inv.Permits, capacity: w.inv.Capacity,
	}
	w.lease = g
	if w.within == nil {
		v.to.locks.granted(l, w)
		l.freed = 0
	}
	if l.holding == 0 && v.o.FreeWithin > 0 && g.granted()-l.left > v.o.freeBy() {
		for _, p := range l.pending { // they bear witness to the time without a holder
			if !p.gap {
				p.gap = true
				l.blockers++
			}
		}
	}
	g.repeats = w.within == nil && v.o.Reentrant && slices.ContainsFunc(v.live[g.client], func(a *lease) bool { return a.lock == l && a.alike(g) })
	l.leases = append(l.leases, g)
	l.open++
	l.holding++
	v.byLease[g.n] = g
	v.live[g.client] = append(v.live[g.client], g)
	g.outer = w.within
	if g.inner = w.within != nil; !g.inner || g.owner != w.within.owner { // else the outer lease stands for the name
		if g.inner {
			l.sights.called(w)
		}
		l.sights.granted(v.survey, g)
	}
}

// inside returns what the process of a wait held of the lock when it called, unless the lease
// had told it that this was over; nil for nothing.
func (v *view) inside(w *wait) *lease {
	if !v.o.Reentrant {
		return nil
	}
	for _, g := range v.live[w.client] {
		n := len(g.answers)
		over := g.over != nil || g.lost != nil || n > 0 && g.answers[n-1].max < w.call
		if g.lock == w.lock && g.process == w.process && !over {
			return g
		}
	}
	return nil
}

// over notes that a lease is released or its holder dead. It is closed when nothing more is
// done under its number; what is never answered is known at the end of the history.
func (v *view) over(g *lease) {
	if g.ended {
		return
	}
	g.ended = true
	l := g.lock
	l.holding--
	if l.freed = 0; g.relRet != nil && g.relRet.Type == history.OK {
		l.freed = g.relRet.Time
	}
	left := v.now
	if g.relRet != nil {
		left = g.relRet.Time
	}
	l.left = max(l.left, left)
	if last, ok := v.late[g.n]; !ok || last <= v.at {
		v.close(g)
	}
}

func (v *view) close(g *lease) {
	if g.ended && !g.waits && v.byLease[g.n] == g {
		delete(v.byLease, g.n)
		g.lock.open--
		v.to.stores.over(g.n)
	}
}

// onLease adds what was done with a lease itself.
func (v *view) onLease(l *lease, inv, ret *history.Op, line int) {
	switch inv.F {
	case history.Ask:
		switch {
		case ret == nil:
		case ret.Type == history.OK:
			least, most := ret.Validity()
			l.answers = append(l.answers, answer{ret.Time, least, most, ret})
		case ret.Type == history.Fail && ret.Refused == history.ByClient && l.over == nil:
			l.over = ret
		}
	case history.Renew:
		l.renewLines = append(l.renewLines, line)
		l.renewals = append(l.renewals, history.Call{Invoke: inv, Return: ret})
	case history.Upgrade, history.Downgrade:
		l.changes = append(l.changes, history.Call{Invoke: inv, Return: ret})
	case history.Release:
		if l.relCall == nil {
			l.relCall, l.relRet, l.relLine = inv, ret, line
		} else {
			l.again = append(l.again, history.Call{Invoke: inv, Return: ret})
		}
		v.drop(l)
		if ret != nil {
			v.over(l)
		}
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

// observed adds an observation that was answered.
func (v *view) observed(inv, ret *history.Op, line int) {
	if ret.Type == history.OK && v.o.isElection() {
		l := v.lock(inv.Lock)
		l.observations = append(l.observations, &observation{inv, ret, line})
		v.grow(l)
	}
}
