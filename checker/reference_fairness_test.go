package checker_test

import (
	"time"

	"locktorture/history"
)

// unfair counts the waiters that were overtaken, writers by readers apart.
func (r *reference) unfair() int { return r.overtaken(false) }

func (r *reference) starvedWriters() int { return r.overtaken(true) }

func (r *reference) overtaken(writers bool) (n int) {
	for _, p := range r.ops {
		if !r.o.Fair || p.inv.F != history.Acquire || p.within != nil || p.ret == nil {
			continue
		}
		if by := r.overtaker(p); by != nil && writers == (p.inv.Mode == "" && by.mode() == history.Shared) {
			n++
		}
	}
	return n
}

// overtaker is the first that was granted the lock before one that had surely been in the
// queue first, nil for nobody.
func (r *reference) overtaker(p *refOp) *refLease {
	for _, g := range r.leases {
		if beside(p.inv, g.op.inv) {
			continue
		}
		if g.lock != p.inv.Lock || g.client == p.inv.Client || g.inner != nil || g.op.inv.F != history.Acquire || g.line < p.line || g.line > p.retLine {
			continue
		}
		call, since := p.inv.Time, r.firstCall(g)
		sound := r.servedSince(p, g.line, false)
		early := since-call > max(250*ms, 4*r.trip, 4*r.pace(call, since))
		stayed := p.lease != nil || r.endOf(p)-g.ret >= int64(time.Second)
		kept := !r.o.Expires || g.ret-call <= int64(r.o.TTL)
		if early && stayed && kept && sound <= call && !r.upset(p.inv.Client, sound, g.ret) {
			return g
		}
	}
	return nil
}

// endOf is when an acquire was over: with its answer, or its process's crash.
func (r *reference) endOf(p *refOp) int64 {
	end := r.end
	if p.ret != nil {
		end = p.ret.Time
	}
	for _, e := range r.crashes {
		if e.Process == p.inv.Process && p.lease == nil && e.Time >= p.inv.Time {
			end = min(end, e.Time)
		}
	}
	return end
}

// firstCall is the first call of the client of a grant since it was served last.
func (r *reference) firstCall(g *refLease) int64 {
	last := -1
	for _, x := range r.leases {
		if x.lock == g.lock && x.client == g.client && x.inner == nil && x.line < g.line {
			last = max(last, x.line)
		}
	}
	first := g.call
	for _, op := range r.ops {
		asks := (op.inv.F == history.Acquire || op.inv.F == history.Try) && op.within == nil
		if asks && op.inv.Lock == g.lock && op.inv.Client == g.client && op.line > last && op.line < g.line {
			first = min(first, op.inv.Time)
		}
	}
	return first
}

// servedSince is the call of the last operation on a lock that a waiter's process was served
// with before an entry; never if there is none, or one has failed (an acquire may, where that
// is allowed) or a loss was told since.
func (r *reference) servedSince(p *refOp, line int, refusals bool) int64 {
	since := never
	for i := range line {
		e := &r.h[i]
		if e.Client != p.inv.Client || e.Store != "" || e.Process < 0 || e.Type == history.Invoke || e.F == history.Crash {
			continue
		}
		switch {
		case e.Type == history.OK && e.F == history.Ask:
		case refusals && e.Type == history.Fail && (e.F == history.Acquire || e.F == history.Try):
		case e.Type == history.OK && e.Process == p.inv.Process:
			since = r.callOf(i)
		default:
			since = never
		}
	}
	return since
}

// callOf is the call of what ended with an entry.
func (r *reference) callOf(line int) int64 {
	for _, op := range r.ops {
		if op.ret != nil && op.retLine == line {
			return op.inv.Time
		}
	}
	return never
}
