package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// A refCut is a time in which a lock may have been had; by is the call that may have had it,
// nil for a fault.
type refCut struct {
	refTime
	by *refOp
}

func (r *reference) slack() int64  { return int64(max(250*time.Millisecond, r.o.FreeWithin/10)) }
func (r *reference) toldBy() int64 { return r.slack() + int64(r.o.Retry) }

// limit is how long a lock may take from a moment on to be free; the stalls of the machine
// until another do not count.
func (r *reference) limit(from, to int64) int64 {
	return int64(r.o.FreeWithin) + r.slack() + covered(r.stalls, from, to)
}

// deadlocks counts the times in which nobody can have had a lock and nobody could get it.
func (r *reference) deadlocks() int {
	if r.o.Kind == locks.Semaphore {
		return 0 // they are lost permits
	}
	return r.dead()
}

func (r *reference) dead() (n int) {
	if r.o.FreeWithin == 0 {
		return 0
	}
	for _, lock := range r.locks() {
		gone, granted := r.h[0].Time, r.h[0].Time
		for _, g := range r.leases {
			if g.lock == lock {
				n += r.deadIn(lock, refTime{gone, g.ret}, g.op, granted)
				gone, granted = max(gone, g.gone), g.ret
			}
		}
		n += r.deadIn(lock, refTime{gone, r.end}, nil, granted)
	}
	return n
}

// deadIn counts the evidence between the end of the last holder and the return of the next
// grant, nil at the end.
func (r *reference) deadIn(lock string, gap refTime, next *refOp, granted int64) int {
	if gap.to-gap.from <= r.limit(gap.from, gap.from) {
		return 0
	}
	calls := slices.DeleteFunc(r.asking(lock), func(c *refOp) bool { return c.inv.Time > gap.to || r.endOf(c) < gap.from-r.slack() })
	var sure, open []refCut
	for _, t := range append(r.times(func(f refFault) bool { return f.kind != killed }), r.begun...) {
		sure = append(sure, refCut{t, nil})
	}
	for i := range r.sights[:max(0, len(r.sights)-1)] { // more than a second without an answer
		if t := (refTime{r.sights[i], r.sights[i+1]}); t.to-t.from > int64(time.Second) {
			sure = append(sure, refCut{t, nil})
		}
	}
	if next != nil {
		sure = append(sure, refCut{refTime{max(next.inv.Time, granted), gap.to}, next})
	}
	for _, c := range calls {
		cut := refCut{refTime{max(c.inv.Time, r.endOf(c)-r.toldBy()), r.endOf(c)}, c}
		switch {
		case r.died(c):
			sure = append(sure, cut)
		case r.unknown(c):
			open = append(open, cut)
		}
	}
	return r.evidence(calls, gap, next, sure, open)
}

// asking are the calls for a lock that reached it, in their order.
func (r *reference) asking(lock string) (out []*refOp) {
	for _, op := range r.ops {
		asks := op.inv.F == history.Acquire || op.inv.F == history.Try
		if asks && op.inv.Lock == lock && (op.ret == nil || op.ret.Refused != history.ByClient) {
			out = append(out, op)
		}
	}
	slices.SortStableFunc(out, func(a, b *refOp) int { return a.line - b.line })
	return out
}

// evidence counts what shows that the lock was not free; what overlaps with what counts
// already does not count again.
func (r *reference) evidence(calls []*refOp, gap refTime, next *refOp, sure, open []refCut) int {
	var found []refTime
	add := func(w refTime) {
		if !slices.ContainsFunc(found, func(f refTime) bool { return f.from < w.to && w.from < f.to }) {
			found = append(found, w)
		}
	}
	all := slices.Concat(open, sure)
	for _, w := range windows(all, gap) {
		if r.inVainTogether(calls, w) || r.refusedAlone(calls, w) {
			add(w)
		}
	}
	for _, c := range calls {
		others := slices.DeleteFunc(slices.Clone(all), func(cut refCut) bool { return cut.by == c })
		if len(others) == len(all) {
			continue
		}
		for _, w := range windows(others, refTime{max(c.inv.Time, gap.from), min(r.endOf(c), gap.to)}) {
			if r.inVainAlone(w) {
				add(w)
			}
		}
	}
	for _, w := range windows(sure, gap) {
		if r.neverAnswered(calls, w) {
			add(w)
		}
	}
	return len(found)
}

// windows are what some times leave of another.
func windows(cuts []refCut, of refTime) (out []refTime) {
	cuts = slices.DeleteFunc(slices.Clone(cuts), func(c refCut) bool { return c.to < of.from || c.from >= of.to })
	starts := []int64{of.from}
	for _, c := range cuts {
		starts = append(starts, c.to)
	}
	slices.Sort(starts)
	for _, from := range slices.Compact(starts) {
		w := refTime{from, of.to}
		for _, c := range cuts {
			if c.from > from {
				w.to = min(w.to, c.from)
			}
		}
		inside := slices.ContainsFunc(cuts, func(c refCut) bool { return c.from <= from && c.to > from })
		if from >= of.from && from < w.to && !inside {
			out = append(out, w)
		}
	}
	return out
}

// inVainTogether reports whether calls that lasted long enough were under way for more than
// the limit in sum, or for twice that where only slow ones were under way, one at a time.
func (r *reference) inVainTogether(calls []*refOp, w refTime) bool {
	retry := int64(r.o.Retry)
	var waited, sure []refTime
	for _, c := range calls {
		if !r.lasted(c) {
			continue
		}
		t := refTime{c.inv.Time, max(c.inv.Time, min(r.endOf(c), w.to)-retry)}
		if !r.slow(c) {
			sure = append(sure, t)
		}
		for _, x := range waited {
			if both := (refTime{max(t.from, x.from), min(t.to, x.to)}); both.from < both.to {
				sure = append(sure, both)
			}
		}
		waited = append(waited, t)
	}
	more := func(times []refTime, than int64) bool {
		return slices.ContainsFunc(times, func(t refTime) bool {
			return t.to > w.from && covered(times, w.from, t.to) > than*r.limit(w.from, t.to+retry)
		})
	}
	return more(sure, 1) || more(waited, 2)
}

// slow reports whether a call may have taken long by itself: its outcome is unknown, or the service
// refused it later than a grant would have been told.
func (r *reference) slow(c *refOp) bool {
	return r.unknown(c) || refused(c) && c.ret.Refused == history.ByServer && r.endOf(c)-c.inv.Time > r.toldBy()
}

// refusedAlone reports whether a try was refused later than the limit, while no other call was
// under way.
func (r *reference) refusedAlone(calls []*refOp, w refTime) bool {
	return slices.ContainsFunc(calls, func(c *refOp) bool {
		from, to := c.inv.Time, r.endOf(c)
		if c.inv.F != history.Try || !refused(c) || r.slow(c) || from < w.from || from >= w.to || to > w.to || from-w.from <= r.limit(w.from, from) {
			return false
		}
		return !slices.ContainsFunc(calls, func(x *refOp) bool { return x != c && x.inv.Time <= to && r.endOf(x) >= from })
	})
}

// inVainAlone reports whether a call which was under way for a whole time waited for more than
// twice the limit.
func (r *reference) inVainAlone(w refTime) bool {
	return complete([]refTime{{w.from, w.to - int64(r.o.Retry)}}, w, func(at int64) int64 { return 2 * r.limit(w.from, at+int64(r.o.Retry)) })
}

// complete reports whether some times sum up to more than a limit, which grows with the
// stalls, when one of them is over that lasts longer than all that began before.
func complete(times []refTime, w refTime, limit func(at int64) int64) bool {
	for i, t := range times {
		at := min(t.to, w.to)
		shorter := slices.ContainsFunc(times[:i], func(x refTime) bool { return min(x.to, w.to) >= at })
		if !shorter && at > w.from && covered(times[:i+1], w.from, at) > limit(at) {
			return true
		}
	}
	return false
}

// neverAnswered reports whether calls of whatever outcome were under way for more than three
// times the limit and a retry.
func (r *reference) neverAnswered(calls []*refOp, w refTime) bool {
	var asked []refTime
	answered := func(c *refOp) bool { return c.ret == nil || c.ret.Refused != history.ByTime }
	for i, c := range calls {
		from, to := c.inv.Time, r.endOf(c)
		if from >= w.to { // nor does the pause before it count
			continue
		}
		if !answered(c) {
			if to -= r.toldBy(); to > from { // else it counts for nothing
				asked = append(asked, refTime{from, to})
			}
			continue
		}
		begun := from
		for _, x := range calls[:i] { // the pause before it
			if end := r.endOf(x); answered(x) && end < from && from-end <= r.slack() {
				begun = min(begun, end)
			}
		}
		for _, t := range asked {
			begun = max(begun, min(from, t.to)) // what comes after all that others count for
		}
		asked = append(asked, refTime{begun, to})
	}
	return complete(asked, w, func(at int64) int64 { return 3 * (r.limit(w.from, at) + int64(r.o.Retry)) })
}
