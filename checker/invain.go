package checker

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"locktorture/history"
)

// evidence is what shows that a lock was not free.
type evidence struct {
	window
	kind evidenceKind
	last *wait // who asked when it was complete; nil as long as it is not
	at   int64 // when it was complete

	// What follows counts what came after that, too.
	took    int64 // how long the lock was asked for in vain, by whomever, ns
	until   int64 // the end of that
	clients []int // that asked
}

// prolong adds a time in which a lock was asked for in vain, after all that were added before,
// and reports whether that completes the evidence: the sum is more than the limit, which may
// grow with time.
func (e *evidence) prolong(w *wait, from, to int64, limit func(at int64) int64) bool {
	e.took, e.until = e.took+to-from, to
	if !slices.Contains(e.clients, w.client) {
		e.clients = append(e.clients, w.client)
	}
	if e.last != nil || e.took <= limit(to) {
		return false
	}
	after := sort.Search(int(to-from), func(i int) bool {
		at := from + int64(i)
		return e.took-(to-at) > limit(at)
	})
	e.last, e.at = w, from+int64(after)
	return true
}

// An evidenceKind is a way in which a lock shows that it is not free.
type evidenceKind string

const (
	waitedFor evidenceKind = "waited for"
	refusing  evidenceKind = "refused"
	unsettled evidenceKind = "asked for"
)

// clause says what is wrong, up to the promise that was broken.
func (e evidence) clause() string {
	switch e.kind {
	case refusing:
		return fmt.Sprintf("that was %s later, longer than", dur(e.took))
	case unsettled:
		return fmt.Sprintf("it was asked for in vain, %s, longer than three times", e.sum())
	}
	return fmt.Sprintf("it was waited for in vain, %s, longer than", e.sum())
}

// sum says who asked for how long, and until when: most of it can come after the moment of the
// anomaly, and from several clients.
func (e evidence) sum() string {
	by := who(e.clients[0])
	if n := len(e.clients); n > 1 {
		by = fmt.Sprintf("%d clients", n)
	}
	return fmt.Sprintf("by %s, for %s of the time until %s", by, dur(e.took), at(e.until))
}

func (e evidence) overlaps(list []evidence) bool {
	return slices.ContainsFunc(list, func(o evidence) bool { return e.from < o.to && o.from < e.to })
}

// how says what became of the last that asked.
func (e evidence) how() string {
	switch {
	case e.last.end > e.at || e.last.ret == nil && !e.last.dead:
		return "was still waiting for"
	case e.last.dead:
		return "was killed while it waited for"
	case e.last.refused():
		return "was refused"
	case e.last.lease != nil:
		return "got only then"
	}
	return "gave up waiting for"
}

// inVainTogether finds the windows in which patient acquires waited for longer
// than freeBy in sum, or a try was refused later than that.
func (r *deadlock) inVainTogether(l *lockView, windows []window) []evidence {
	var out []evidence
	for _, win := range windows {
		if win.to-win.from <= r.run.o.freeBy() {
			continue
		}
		sum, limit := newVain(win), r.run.limit(win, int64(r.run.o.Retry))
		busy := win.from // until when an earlier call was under way
		for i, w := range l.waits {
			if w.call >= win.to {
				break
			}
			if to := min(w.end, win.to) - int64(r.run.o.Retry); r.run.patient(w) && to > win.from {
				sum.add(r.run.o, w, to, limit)
			}
			late := w.call - win.from
			if e := sum.shown(); e == nil && late > r.run.limit(win, 0)(w.call) && w.end <= win.to && w.call > busy && refusedAlone(l.waits, i) {
				out = append(out, evidence{window: win, kind: refusing, last: w, at: w.end, took: late})
				break
			}
			if w.asked() {
				busy = max(busy, w.end)
			}
		}
		if e := sum.shown(); e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// refusedAlone reports whether a try was refused, and that no call began while it
// was under way. Whatever became of such a call, it can have been in the way:
// the tries of a lock on several servers may refuse each other.
func refusedAlone(waits []*wait, i int) bool {
	w := waits[i]
	if w.inv.F != history.Try || !w.refused() {
		return false
	}
	for _, next := range waits[i+1:] {
		if next.asked() {
			return next.call > w.end
		}
	}
	return true
}

// inVainAlone finds single calls that waited for longer than slow times freeBy in a time
// in which no other can have had the lock. Whether they got it at the end or
// ended with an unknown outcome, it was not given to them before.
func (r *deadlock) inVainAlone(all []cut, gap window) []evidence {
	var out []evidence
	least := r.run.o.freeBy() + int64(r.run.o.Retry)
	for _, own := range all {
		w := own.by
		if w == nil || !w.asked() || min(w.end, gap.to)-max(w.call, gap.from) <= least {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(all), func(c cut) bool { return c.by == w })
		for _, win := range between(others, max(w.call, gap.from), min(w.end, gap.to)) {
			e, limit := evidence{window: win, kind: waitedFor}, multiple(slow, r.run.limit(win, int64(r.run.o.Retry)))
			if to := win.to - int64(r.run.o.Retry); to > win.from && e.prolong(w, win.from, to, limit) {
				e.at += int64(r.run.o.Retry)
				out = append(out, e)
			}
		}
	}
	return out
}

// neverAnswered finds windows in which a lock was asked for, by calls of whatever
// outcome, for longer than so many times freeBy and a retry. Of a call that the client gave
// up the last part does not count, in which a grant may have been on its way. Else the
// lock itself ended it; then the pause before it counts too, up to the slack.
func (r *deadlock) neverAnswered(l *lockView, windows []window) []evidence {
	var out []evidence
	for _, win := range windows {
		if win.to-win.from <= doubted*(r.run.o.freeBy()+int64(r.run.o.Retry)) {
			continue
		}
		e, limit := evidence{window: win, kind: unsettled}, r.run.limit(win, 0)
		reach, answered := win.from, int64(math.MinInt64) // the last end that was the lock's own
		for _, w := range l.waits {
			if w.call >= win.to {
				break
			}
			from, to := w.call, w.end
			switch {
			case !w.asked():
				continue
			case w.ret != nil && w.ret.Refused == history.ByTime:
				to -= r.run.o.toldBy()
			case from <= answered+r.run.o.slack():
				from = min(from, answered)
			}
			if w.ret == nil || w.ret.Refused != history.ByTime {
				answered = max(answered, w.end)
			}
			if from, to = max(from, reach), min(to, win.to); to > from {
				if e.prolong(w, from, to, func(at int64) int64 { return doubted * (limit(at) + int64(r.run.o.Retry)) }) {
					e.at = max(e.at, w.call)
				}
				reach = to
			}
		}
		if e.last != nil {
			out = append(out, e)
		}
	}
	return out
}
