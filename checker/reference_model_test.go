package checker_test

import (
	"cmp"
	"math"
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A reference is a history read for judging it straight from the definitions of
// docs/verdicts.md and rules.md: everything is held, and everything is compared with everything. It
// shares no code with the checker.
type reference struct {
	o       checker.Options
	h       history.History
	end     int64
	ops     []*refOp // by their ends; what never ended comes last
	leases  []*refLease
	faults  []refFault
	stalls  []refTime
	sights  []int64 // times of the answers to looks at the servers
	crashes history.History
	begun   []refTime // times in which a fault had begun and its effect was not seen yet
	trip    int64     // the usual round trip
	tells   int64     // how long a grant usually takes to be told at the most, -1 for unknown
}

// A refOp is an operation; ret is nil if it never ended.
type refOp struct {
	inv     history.Op
	ret     *history.Op
	line    int
	retLine int
	lease   *refLease // that it was granted, or was done under
	within  *refLease // of an acquire: what its process held of the lock when it called
}

type refTime struct{ from, to int64 }

type refFault struct {
	n               int
	kind            string
	client          int
	from, to, began int64
	sent            int64 // from, or when it began if the entry says so
}

// A refLease is a grant, with what the words at the top of the document say of it.
type refLease struct {
	lock, owner       string
	process, client   int
	token             uint64
	call, ret         int64
	line              int // of the return
	op                *refOp
	answers           []history.Op // ok answers to an ask
	over, lost        *history.Op
	crash             *history.Op
	crashLine         int
	killed            int64
	release           *refOp
	renewals, endings []*refOp // endings: renewals and releases

	inner, outer         *refLease // what it re-entered; the same, if it is part of that grant
	told, gone           int64
	promise, since, next int64 // next: from when on another had the lock, never for nobody
}

const never = int64(math.MaxInt64)

func refer(h history.History, o checker.Options) *reference {
	r := &reference{o: o, h: h}
	pending := map[int]*refOp{}
	for i := range h {
		e := &h[i]
		if e.F == history.End {
			break
		}
		r.end = e.Time
		switch {
		case e.F == history.Fault || e.F == history.Heal:
			r.fault(e)
		case e.F == history.Stall:
			r.stalls = append(r.stalls, refTime{e.UntilMin, e.Time})
		case e.F == history.Crash:
			r.crashes = append(r.crashes, *e)
		case e.F == history.Probe:
			r.sights = append(r.sights, e.Time)
		case e.F.Event():
		case e.Type == history.Invoke:
			pending[e.Process] = &refOp{inv: *e, line: i}
		default:
			op := pending[e.Process]
			delete(pending, e.Process)
			op.ret, op.retLine = e, i
			r.ops = append(r.ops, op)
		}
	}
	var open []*refOp
	for _, op := range pending {
		op.retLine = len(h)
		open = append(open, op)
	}
	slices.SortFunc(open, func(a, b *refOp) int { return cmp.Compare(a.line, b.line) })
	r.ops = append(r.ops, open...)
	r.trip = r.usualTrip()
	r.findLeases()
	r.tells = r.usuallyTold()
	r.promises()
	return r
}

func (r *reference) fault(e *history.Op) {
	if e.F == history.Heal {
		for i := range r.faults {
			if r.faults[i].n == e.Fault && r.faults[i].to == never {
				r.faults[i].to = e.Time
			}
		}
		return
	}
	if e.UntilMin > 0 && e.Client == 0 {
		r.begun = append(r.begun, refTime{e.UntilMin, e.Time})
	}
	if e.Type == history.Fail {
		return
	}
	f := refFault{n: e.Fault, kind: e.Key, client: e.Client, from: e.Time, to: never, began: e.Time, sent: e.Time}
	switch {
	case e.UntilMin > 0:
		f.began = min(e.UntilMin, e.Time)
		f.sent = f.began
	case slices.Contains([]string{"failover", "restart", "clock", "leader", killed}, e.Key):
		f.began = e.Time - int64(500*time.Millisecond)
	}
	if e.Key == killed {
		f.to = e.Time
		f.began = min(max(f.began, r.livedUntil(e)), e.Time)
	}
	r.faults = append(r.faults, f)
}

// findLeases finds the grants, in the order in which they returned, and what was done under
// them.
func (r *reference) findLeases() {
	byNumber := map[int64]*refLease{}
	for _, op := range r.ops {
		if op.ret != nil && op.ret.Type == history.OK && (op.inv.F == history.Acquire || op.inv.F == history.Try) {
			g := &refLease{
				lock: op.inv.Lock, owner: op.ret.Value, process: op.inv.Process, client: op.inv.Client, token: op.ret.Token,
				call: op.inv.Time, ret: op.ret.Time, line: op.retLine, op: op, next: never,
			}
			op.lease, byNumber[op.ret.Lease] = g, g
			r.leases = append(r.leases, g)
		} else if n := op.inv.Lease; n != 0 {
			op.lease = byNumber[n]
			op.lease.does(op)
		}
	}
	for i := range r.h {
		if e := &r.h[i]; e.F == history.Lost && byNumber[e.Lease].lost == nil {
			byNumber[e.Lease].lost = e
		}
	}
	for _, g := range r.leases {
		r.death(g)
	}
	for _, op := range r.ops {
		if r.o.Reentrant && (op.inv.F == history.Acquire || op.inv.F == history.Try) {
			op.within = r.holds(op)
			r.joins(op)
		}
	}
}

// joins gives a re-entry the process of the outer lease.
func (r *reference) joins(op *refOp) {
	switch {
	case op.lease == nil:
	case op.within != nil:
		op.lease.inner, op.lease.process = op.within, op.within.process
	default:
		if a := r.alike(op.lease); a != nil {
			op.lease.process = a.process
		}
	}
}

func (g *refLease) does(op *refOp) {
	switch {
	case op.inv.F == history.Ask && op.ret != nil && op.ret.Type == history.OK:
		g.answers = append(g.answers, *op.ret)
	case op.inv.F == history.Ask && op.ret != nil && op.ret.Type == history.Fail && op.ret.Refused == history.ByClient && g.over == nil:
		g.over = op.ret
	case op.inv.F == history.Renew:
		g.renewals = append(g.renewals, op)
		g.endings = append(g.endings, op)
	case op.inv.F == history.Release:
		if g.release == nil {
			g.release = op
		}
		g.endings = append(g.endings, op)
	}
}

// death finds the first crash of the client while it had the lease. The kill was sent when the
// entry says so, else after the client's last sign of life.
func (r *reference) death(g *refLease) {
	until := len(r.h)
	if g.release != nil {
		until = g.release.retLine
	}
	alive := g.ret
	for i := g.line; i < until; i++ {
		e := &r.h[i]
		switch {
		case e.Client != g.client || e.Process < 0:
		case e.F == history.Crash:
			g.crashLine = i
			if g.crash, g.killed = e, alive; e.UntilMin > 0 {
				g.killed = min(e.UntilMin, e.Time)
			}
			return
		case !e.F.Event():
			alive = e.Time
		}
	}
}

// livedUntil is until when the victim of a kill surely lived, by its nearest crash.
func (r *reference) livedUntil(kill *history.Op) int64 {
	alive, lived, nearest := int64(0), int64(math.MinInt64), int64(math.MaxInt64)
	for i := range r.h {
		e := &r.h[i]
		d := max(e.Time-kill.Time, kill.Time-e.Time)
		switch {
		case e.Client != kill.Client || e.Process < 0:
		case !e.F.Event():
			alive = e.Time
		case e.F == history.Crash && d < nearest:
			nearest, lived = d, alive
			if e.UntilMin > 0 {
				lived = min(e.UntilMin, e.Time)
			}
		}
	}
	return lived
}

// holds returns what the client of an acquire held when it called, of whose end it had not
// been told.
func (r *reference) holds(op *refOp) *refLease {
	for _, g := range r.leases {
		if g.of(op, op.line) && !r.toldOver(g, op.line) {
			return g
		}
	}
	return nil
}

// alike returns a lease that the client of a grant still had, with the same token.
func (r *reference) alike(b *refLease) *refLease {
	for _, a := range r.leases {
		if a.of(b.op, b.line) && a.token == b.token && a.token != 0 {
			return a
		}
	}
	return nil
}

// of reports whether the client of an acquire had the lease of that lock at a line, and had not
// called its release.
func (g *refLease) of(op *refOp, line int) bool {
	released := g.release != nil && g.release.line < line
	died := g.crash != nil && g.crashLine < line
	return g.client == op.inv.Client && g.lock == op.inv.Lock && g.line < line && !released && !died
}

// toldOver reports whether a holder had been told, before an entry, that its lease is over.
func (r *reference) toldOver(g *refLease, line int) bool {
	until := never
	for _, e := range r.h[:line] {
		switch {
		case e.Lease != g.op.ret.Lease:
		case e.F == history.Lost || e.F == history.Ask && e.Type == history.Fail && e.Refused == history.ByClient:
			return true
		case e.F == history.Ask && e.Type == history.OK:
			until = e.UntilMax
		}
	}
	return until < r.h[line].Time
}

// usualTrip is the 99th percentile of the releases during which nobody was stopped.
func (r *reference) usualTrip() int64 {
	var all []int64
	for _, op := range r.ops {
		if op.inv.F == history.Release && op.ret != nil && op.ret.Type == history.OK && r.stopped(op.inv.Client, op.inv.Time, op.ret.Time) == 0 {
			all = append(all, op.ret.Time-op.inv.Time)
		}
	}
	if len(all) == 0 {
		return 10 * ms
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}
