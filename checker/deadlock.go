package checker

import (
	"fmt"
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// freeSlack is what may come on top of FreeWithin: a request, the server's own
// pace, and schedulers that let a waiter wait. On a busy machine with two cores
// it was up to 0.19 s.
const freeSlack = 250 * time.Millisecond

// freeBy is the time in ns after which a lock that is not free is a violation.
func (o Options) freeBy() int64 { return int64(o.FreeWithin + max(freeSlack, o.FreeWithin/10)) }

// deadlocks finds locks that were refused, or waited for in vain, for longer
// than freeBy after the last live holder had gone and the last fault was
// healed. A stopped holder is alive.
func (v *view) deadlocks(l *lockView, last bool) {
	for _, g := range l.fresh() {
		v.holderless(l, g.granted())
		if h := l.past.lastHolder; h == nil || g.gone > h.gone {
			l.past.gone, l.past.lastHolder = max(l.past.gone, g.gone), g
		}
	}
	if last {
		v.holderless(l, v.end)
	}
}

// holderless judges the time from the last holder's end until a moment.
func (v *view) holderless(l *lockView, until int64) {
	gone := l.past.gone
	if gone < until && until-gone > v.o.freeBy() {
		for _, w := range v.calm(l, gone, until) {
			v.deadlock(l, w)
		}
	}
}

// A window is a time in which nobody held the lock and no fault was in place.
type window struct{ from, to int64 }

// calm cuts a time without a holder at the faults. Where leases end by
// themselves, a waiter of unknown outcome may have been a holder until then.
func (v *view) calm(l *lockView, from, to int64) []window {
	cuts := make([]window, 0, len(v.faults))
	for _, s := range v.faults {
		if s.kind() != killClient && s.to > from && s.from < to {
			cuts = append(cuts, window{s.from, s.to})
		}
	}
	for _, w := range v.prepared {
		if w.to > from && w.from < to {
			cuts = append(cuts, w)
		}
	}
	if v.o.Expires {
		for _, w := range l.waits {
			if w.call < to && w.end > from && w.end < to && w.unknown() {
				cuts = append(cuts, window{w.end, w.end})
			}
		}
	}
	slices.SortFunc(cuts, func(a, b window) int { return int(min(1, max(-1, a.from-b.from))) })
	var out []window
	for _, c := range cuts {
		if c.from-from > v.o.freeBy() {
			out = append(out, window{from, c.from})
		}
		from = max(from, c.to)
	}
	if from < to && to-from > v.o.freeBy() {
		out = append(out, window{from, to})
	}
	return out
}

// deadlock looks for the evidence in a window: a refusal later than freeBy
// after its start, or waiting in vain for longer than that. One retry interval
// may pass between the last look of a waiter and its answer.
func (v *view) deadlock(l *lockView, win window) {
	limit, retry := v.o.freeBy(), int64(v.o.Retry)
	first := int64(math.MaxInt64)
	var last *wait
	lastAt := int64(math.MinInt64)
	for _, w := range l.waits {
		if w.call >= win.to {
			break
		}
		if w.end <= win.from || w.ret != nil && w.ret.Refused == history.ByClient {
			continue
		}
		start, seen := max(w.call, win.from), min(w.end, win.to)-retry
		first = min(first, start)
		since := first
		if w.refused() && w.end <= win.to {
			seen, since = max(seen, start), win.from
		}
		if seen-since > limit && seen > lastAt {
			last, lastAt = w, seen
		}
	}
	if last != nil {
		v.addDeadlock(l, win, last)
	}
}

func (v *view) addDeadlock(l *lockView, win window, last *wait) {
	since := "nobody had ever held it"
	holder := l.past.lastHolder
	w := []*history.Op{last.inv, last.ret}
	from := win.from
	if holder != nil {
		since = fmt.Sprintf("its last holder, %s with %s, had gone at %s", who(holder.client), holder.name(), at(holder.gone))
		if holder.crash != nil && holder.crash.Time == holder.gone {
			since = fmt.Sprintf("its last holder, %s with %s, had been killed at %s", who(holder.client), holder.name(), at(holder.gone))
		}
		w = append(w, holder.inv, holder.ret, holder.relCall, holder.relRet, holder.crash)
		from = holder.gone
	}
	end := min(last.end, win.to)
	how := "was still waiting for"
	switch {
	case last.refused() && last.end <= win.to:
		how = "was refused"
	case last.lease != nil:
		how = "got only then"
	}
	l.found.add("deadlock", from, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: end, Ops: ops(w...),
			Sentence: fmt.Sprintf("%s %s %s at %s although %s and no fault was in place since %s: %s, longer than the %s within which it must be free and %s of slack",
				who(last.client), how, l.name, at(end), since, at(win.from), dur(end-win.from), v.o.FreeWithin, time.Duration(v.o.freeBy())-v.o.FreeWithin),
		}
	})
}
