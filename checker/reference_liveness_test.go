package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
)

// patience is a retry interval, at least 50 ms.
func (r *reference) patience() int64 { return max(int64(r.o.Retry), 50*ms) }

// immortals counts the leases of which one server showed, after their end, an expiry that
// moved on twice.
func (r *reference) immortals() (n int) {
	for _, g := range r.leases {
		ended := g.crash
		if g.release != nil && g.release.ret != nil && g.release.ret.Type != history.Info {
			ended = g.release.ret
		}
		if _, grants := r.ownerAt(g.lock, g.owner, never); ended == nil || grants != 1 {
			continue
		}
		var looks []history.Op
		for _, p := range r.h {
			if p.F == history.Probe && p.Lock == g.lock && p.Value == g.owner && (p.UntilMin == 0 || p.UntilMin > ended.Time) && p.Time > ended.Time && p.UntilMax != history.Never {
				looks = append(looks, p)
			}
		}
		if r.movedTwice(looks) {
			n++
		}
	}
	return n
}

func (r *reference) movedTwice(looks []history.Op) bool {
	moved := func(a, b history.Op) bool {
		further := leastEnd(b)-a.UntilMax > r.patience()+int64(time.Second)
		return a.Node == b.Node && further && b.UntilMax-b.Time > r.patience()
	}
	for i, a := range looks {
		for j, b := range looks[i+1:] {
			if moved(a, b) && slices.ContainsFunc(looks[i+j+2:], func(c history.Op) bool { return moved(b, c) && !r.disturbed(a.Time, c.Time) }) {
				return true
			}
		}
	}
	return false
}

// upset reports whether a fault that may strike a client was in place, or on its way, at some
// time from…to.
func (r *reference) upset(client int, from, to int64) bool {
	hit := func(t refTime) bool { return t.from <= to && t.to >= from }
	return slices.ContainsFunc(r.begun, hit) || slices.ContainsFunc(r.faults, func(f refFault) bool {
		return hit(refTime{f.sent, f.to}) && (f.client == client || f.client == 0 || f.kind == "client-clock")
	})
}

func (r *reference) selfDeadlocks() (n int) {
	slow := map[string]int{} // by lock: one may have been slow itself
	for _, op := range r.ops {
		if op.within == nil {
			continue
		}
		switch sure, long := r.selfDeadlock(op); {
		case sure:
			n++
		case long:
			slow[op.inv.Lock]++
		}
	}
	for _, found := range slow {
		if found > 1 {
			n += found
		}
	}
	return n
}

func (r *reference) selfDeadlock(op *refOp) (sure, long bool) {
	end := r.end
	if op.ret != nil {
		end = op.ret.Time
	}
	for _, e := range r.h {
		if e.F == history.Crash && e.Process == op.inv.Process && op.lease == nil && e.Time >= op.inv.Time && e.Time < end {
			return false, false
		}
	}
	call, until := op.inv.Time, min(end, op.within.promise)
	if until <= call || r.upset(op.inv.Client, call, until) {
		return false, false
	}
	if op.ret != nil && op.ret.Type == history.Fail && op.ret.Refused != history.ByClient && op.ret.Refused != history.ByTime && end < op.within.promise {
		return true, false
	}
	longest := 2 * max(250*ms, 4*r.trip, 4*r.pace(call, until))
	waited := until - call - r.idle(op.inv.Client, call, until, true)
	letIn := op.lease != nil && end < op.within.promise
	return waited > max(longest, 2*(int64(r.o.FreeWithin)+r.slack())), waited > longest && !letIn
}
