package timeline

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// event adds an entry that no client invoked: a probe, a crash or a loss.
func (v *Fold) event(op *history.Op) {
	switch op.F {
	case history.Probe:
		if l := v.lock(op.Lock); op.Holds != nil {
			l.Listings = append(l.Listings, op)
		} else {
			l.Sights.add(v.Run, l, op)
		}
	case history.Crash:
		v.crash(op)
	case history.Lost:
		v.lost(op)
	}
}

// crash ends every lease of the killed client, whatever process number it
// had when the lease was granted.
func (v *Fold) crash(op *history.Op) {
	c := v.Client(op)
	for _, g := range v.live[c] {
		g.Crash, g.Killed, g.endLine = op, v.killedAt(op), v.at
		v.over(g)
	}
	delete(v.live, c)
}

// killedAt returns the earliest moment at which the client can have died: when the kill was
// sent, if the entry says so, else the client's last sign of life. The entry itself comes
// later. It is written when the process is gone for certain, and the service may have seen the
// connection end before that.
func (v *Fold) killedAt(op *history.Op) int64 {
	if at, ok := op.Began(); ok {
		return at
	}
	if t, ok := v.alive[v.Client(op)]; ok {
		return t
	}
	return op.Time
}

// lost records that a holder was notified of its loss. If the entry names no known lease, it
// means the lease that the client has of that lock.
func (v *Fold) lost(op *history.Op) {
	delete(v.sound, v.Client(op))
	if l := v.lostLease(op); l != nil && l.Lost == nil {
		l.Lost = op
		if l.Crash == nil {
			l.endLine = v.at
		}
	}
}

// lostLease returns the lease that is lost: the one that the entry names, else the one that
// its client has of the lock. It returns nil if that lease is over.
func (v *Fold) lostLease(op *history.Op) *Lease {
	l := v.byLease[op.Lease]
	if l == nil {
		for _, g := range v.live[v.Client(op)] {
			if g.Lock.Name == op.Lock {
				l = g
			}
		}
	}
	return l
}

// operation adds an operation that is neither an acquire nor a try; ret is nil if it was never
// answered.
func (v *Fold) operation(inv, ret *history.Op, line int) {
	g := v.leaseOf(inv, ret)
	switch inv.F {
	case history.Read, history.Write, history.CAS:
		a := &Access{Inv: inv, Ret: ret, Lease: g}
		v.to.Stores.Add(a, line, v.at)
		if g != nil {
			g.Lock.Accesses = append(g.Lock.Accesses, a)
			v.grow(g.Lock)
		}
	case history.Observe:
		if ret != nil {
			v.sound.heard(v.Client(inv), inv, ret)
			v.observed(inv, ret, line)
		}
	default:
		if ret != nil && (inv.F != history.Ask || ret.Type != history.OK) {
			v.sound.heard(v.Client(inv), inv, ret)
		}
		if g != nil {
			v.onLease(g, inv, ret, line)
			v.grow(g.Lock)
		}
	}
}

// leaseOf returns the lease under which an operation was done, or nil if that lease is over or
// not known. The answer may name the lease where the call does not.
func (v *Fold) leaseOf(inv, ret *history.Op) *Lease {
	n := inv.Lease
	if ret != nil {
		n = cmp.Or(n, ret.Lease)
	}
	return v.byLease[n]
}

// answered ends an acquire or a try.
func (v *Fold) answered(w *Call, ret *history.Op) {
	l := w.Lock
	l.Pending = slices.DeleteFunc(l.Pending, func(p *Call) bool { return p == w })
	if w.gap {
		l.blockers--
	}
	w.Ret = ret
	l.Kept = append(l.Kept, w)
	if ret.Type == history.OK {
		v.grant(l, w)
	}
	v.sound.heard(w.Client, w.Inv, ret)
	v.finishWait(w)
	v.to.Locks.Ended(l, w)
	v.grow(l)
}

// grant makes a lease from an answer. Later entries add what becomes of the lease, and its
// times are computed when its piece is settled.
func (v *Fold) grant(l *Lock, w *Call) {
	g := &Lease{
		Lock: w.Lock, Process: w.Process, Client: w.Client, Number: w.Ret.Lease, Token: w.Ret.Token, Owner: w.Ret.Owner(),
		Call: w, Inv: w.Inv, Ret: w.Ret, Line: w.Line, Since: w.Called, asked: math.MaxInt64,
		Shared: w.Inv.Mode == history.Shared, Campaign: w.Inv.Mode == history.Campaign, Permits: w.Inv.Permits, Capacity: w.Inv.Capacity,
	}
	if outer := v.entered(g); outer != nil {
		g.repeats = w.Within == nil
		g.Process = outer.Process
	}
	w.Lease = g
	if w.Within == nil {
		v.to.Locks.Granted(l, w)
		l.Freed = 0
	}
	if l.Holding == 0 && v.Options.FreeWithin > 0 && g.Granted()-l.left > v.Options.FreeBy() {
		for _, p := range l.Pending { // they are evidence of the time without a holder
			if !p.gap {
				p.gap = true
				l.blockers++
			}
		}
	}
	l.Leases = append(l.Leases, g)
	l.open++
	l.Holding++
	v.byLease[g.Number] = g
	v.live[g.Client] = append(v.live[g.Client], g)
	g.outer = w.Within
	if g.Inner = w.Within != nil; !g.Inner || g.Owner != w.Within.Owner { // else the outer lease has that name
		if g.Inner {
			l.Sights.called(w)
		}
		l.Sights.granted(v.Run, g)
	}
}

// entered returns the lease that a re-entry repeats: the one that its client held when it called,
// else one that its client has with the same token. It returns nil for any other grant.
func (v *Fold) entered(g *Lease) *Lease {
	if g.Call.Within != nil || !v.Options.Reentrant || g.Token == 0 {
		return g.Call.Within
	}
	for _, a := range v.live[g.Client] {
		if a.Lock == g.Call.Lock && a.Token == g.Token && v.releasing(a) == nil {
			return a
		}
	}
	return nil
}

// inside returns the lease that the client of a call held on the lock when it called; nil if it
// held none, had called its release, or had been told that it was over. The call may come from
// another process of the client than the lease: after an unknown outcome, a client goes on as its
// next process.
func (v *Fold) inside(w *Call) *Lease {
	if !v.Options.Reentrant {
		return nil
	}
	for _, g := range v.live[w.Client] {
		n := len(g.Answers)
		over := g.Over != nil || g.Lost != nil || n > 0 && g.Answers[n-1].Max < w.Called
		if g.Lock == w.Lock && !over && v.releasing(g) == nil {
			return g
		}
	}
	return nil
}

// over notes that a lease was released, or that its holder died. The lease is closed when nothing
// more is done under its number. Operations that are never answered are added at the end of
// the history, and keep the lease open until then.
func (v *Fold) over(g *Lease) {
	if g.ended {
		return
	}
	g.ended = true
	l := g.Lock
	l.Holding--
	if l.Freed = 0; g.RelRet != nil && g.RelRet.Type == history.OK {
		l.Freed = g.RelRet.Time
	}
	left := v.now
	if g.RelRet != nil {
		left = g.RelRet.Time
	}
	l.left = max(l.left, left)
	if last, ok := v.late[g.Number]; !ok || last <= v.at {
		v.close(g)
	}
}

// close ends the history of a lease: pieces may be cut again, and stores may forget what was done
// under it.
func (v *Fold) close(g *Lease) {
	if g.ended && !g.waits && v.byLease[g.Number] == g {
		delete(v.byLease, g.Number)
		g.Lock.open--
		v.to.Stores.Over(g.Number)
	}
}

// onLease adds an operation on the lease itself, such as a renewal or a release.
func (v *Fold) onLease(l *Lease, inv, ret *history.Op, line int) {
	switch inv.F {
	case history.Ask:
		switch {
		case ret == nil:
		case ret.Type == history.OK:
			least, most := ret.Validity()
			l.Answers = append(l.Answers, Answer{ret.Time, least, most, ret})
		case ret.Type == history.Fail && ret.Refused == history.ByClient && l.Over == nil:
			l.Over = ret
		}
	case history.Renew:
		l.RenewLines = append(l.RenewLines, line)
		l.Renewals = append(l.Renewals, history.Call{Invoke: inv, Return: ret})
	case history.Upgrade, history.Downgrade:
		l.Changes = append(l.Changes, history.Call{Invoke: inv, Return: ret})
	case history.Release:
		if l.RelCall == nil {
			l.RelCall, l.RelRet, l.RelLine = inv, ret, line
		} else {
			l.Again = append(l.Again, history.Call{Invoke: inv, Return: ret})
		}
		v.drop(l)
		if ret != nil {
			v.over(l)
		}
	}
}

// drop removes a released lease from the leases that a crash of its client would end.
func (v *Fold) drop(l *Lease) {
	live := v.live[l.Client]
	for i, g := range live {
		if g == l {
			v.live[l.Client] = append(live[:i], live[i+1:]...)
			return
		}
	}
}

// observed adds an answer to the question who leads.
func (v *Fold) observed(inv, ret *history.Op, line int) {
	if ret.Type == history.OK && v.Options.IsElection() {
		l := v.lock(inv.Lock)
		l.Observations = append(l.Observations, &Observation{inv, ret, line})
		v.grow(l)
	}
}
