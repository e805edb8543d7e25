package rule

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"locktorture/history"
	"locktorture/timeline"
)

// An evidence shows that a lock was not free in a window.
type evidence struct {
	timeline.Window
	kind evidenceKind
	last *timeline.Call // the call that completed it; nil as long as it is not complete
	at   int64          // when it was complete

	// The fields below also count what came after that. took counts each moment once, however
	// many clients asked at that moment.
	took    int64 // how long the lock was asked for in vain, by whomever, ns
	until   int64 // the end of the time that took counts
	clients []int // the clients that asked
}

// prolong adds a time in which a lock was asked for in vain, after all that were added before,
// and reports whether that completes the evidence: the sum is more than the limit, which may
// grow with time.
//
// The moment of the anomaly is the first at which the sum exceeded the limit, to the nanosecond: what
// the lock did later is no part of it.
func (e *evidence) prolong(w *timeline.Call, from, to int64, limit func(at int64) int64) bool {
	e.took, e.until = e.took+to-from, to
	if !slices.Contains(e.clients, w.Client) {
		e.clients = append(e.clients, w.Client)
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

// waitedFor rests on acquires that waited, and refusing on a try that was refused. unsettled rests on
// calls of any outcome, and its limit is three times as long.
const (
	waitedFor evidenceKind = "waited for"
	refusing  evidenceKind = "refused"
	unsettled evidenceKind = "asked for"
)

// clause returns the part of a sentence that says what is wrong, up to the promise that was
// broken.
func (e evidence) clause() string {
	switch e.kind {
	case refusing:
		return fmt.Sprintf("The refusal came %s after that time: longer than", timeline.Dur(e.took))
	case unsettled:
		return fmt.Sprintf("%s: longer than three times", e.sum())
	}
	return fmt.Sprintf("%s: longer than", e.sum())
}

// sum says who asked, for how long and until when. Most of that time can come after the moment
// of the anomaly, and several clients can have spent it.
func (e evidence) sum() string {
	by := timeline.Who(e.clients[0])
	if n := len(e.clients); n > 1 {
		by = fmt.Sprintf("%d clients", n)
	}
	return fmt.Sprintf("%s waited for the lock without success for %s in all, until %s", by, timeline.Dur(e.took), timeline.At(e.until))
}

func (e evidence) overlaps(list []evidence) bool {
	return slices.ContainsFunc(list, func(o evidence) bool { return e.From < o.To && o.From < e.To })
}

// how says what became of the call that completed the evidence.
func (e evidence) how() string {
	switch {
	case e.last.End > e.at || e.last.Ret == nil && !e.last.Dead:
		return "was still waiting for"
	case e.last.Dead:
		return "was killed while it waited for"
	case e.last.Refused():
		return "was refused"
	case e.last.Lease != nil:
		return "only got"
	}
	return "timed out waiting for"
}

// inVainTogether finds windows in which patient acquires waited for longer than FreeBy in sum,
// or in which a try was refused after more than that time.
//
// Short waits do not count (Patient): the answer to a grant may have been on its way when the client
// stopped waiting. A refused try counts only where no other call can have been the reason.
func (r *deadlock) inVainTogether(l *timeline.Lock, windows []timeline.Window) []evidence {
	var out []evidence
	for _, win := range windows {
		// Even a correct lock may need that long after a window begins.
		if win.To-win.From <= r.run.Options.FreeBy() {
			continue
		}
		sum, limit := newVain(win), r.run.Limit(win, int64(r.run.Options.Retry))
		busy := win.From // until when an earlier call was under way
		for i, w := range l.Kept {
			if w.Called >= win.To {
				break
			}
			// A waiter may ask only once in a retry interval, so the last interval before its
			// end shows nothing.
			if to := min(w.End, win.To) - int64(r.run.Options.Retry); r.run.Patient(w) && to > win.From {
				sum.add(r.run.Options, w, to, limit)
			}
			late := w.Called - win.From
			if e := sum.shown(); e == nil && late > r.run.Limit(win, 0)(w.Called) && w.End <= win.To && w.Called > busy && !slow(r.run.Options, w) && refusedAlone(l.Kept, i) {
				out = append(out, evidence{Window: win, kind: refusing, last: w, at: w.End, took: late})
				break
			}
			// A call that the guard of its own client refused was in nobody's way.
			if w.Asked() {
				busy = max(busy, w.End)
			}
		}
		if e := sum.shown(); e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// refusedAlone reports whether a try was refused and no call began while it was under way.
// Whatever became of such a call, it can have been in the way: the tries of a lock on several
// servers may refuse each other.
func refusedAlone(waits []*timeline.Call, i int) bool {
	w := waits[i]
	if w.Inv.F != history.Try || !w.Refused() {
		return false
	}
	for _, next := range waits[i+1:] {
		if next.Asked() {
			return next.Called > w.End
		}
	}
	return true
}

// inVainAlone finds single calls that waited for longer than Slow times FreeBy in a time in
// which nobody else can have had the lock. Such a call may have got the lock at the end, or
// have an unknown outcome. Either way, the lock was not given to it before.
//
// For other calls, such a call may have had the lock, so it is among the cuts. The call itself
// is evidence that it did not have the lock, so its own cut is taken out and every other cut
// stays. The limit is doubled because one call can be slow by itself.
func (r *deadlock) inVainAlone(all []timeline.Cut, gap timeline.Window) []evidence {
	var out []evidence
	least := r.run.Options.FreeBy() + int64(r.run.Options.Retry)
	for _, own := range all {
		w := own.By
		// A cut without a call is a fault.
		if w == nil || !w.Asked() || min(w.End, gap.To)-max(w.Called, gap.From) <= least {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(all), func(c timeline.Cut) bool { return c.By == w })
		for _, win := range timeline.Between(others, max(w.Called, gap.From), min(w.End, gap.To)) {
			e, limit := evidence{Window: win, kind: waitedFor}, multiple(timeline.Slow, r.run.Limit(win, int64(r.run.Options.Retry)))
			if to := win.To - int64(r.run.Options.Retry); to > win.From && e.prolong(w, win.From, to, limit) {
				e.at += int64(r.run.Options.Retry)
				out = append(out, e)
			}
		}
	}
	return out
}

// neverAnswered finds windows in which a lock was asked for, by calls of any outcome, for
// longer than Doubted times the sum of FreeBy and a retry interval. If the client gave a call
// up, the last part of the call does not count, because a grant may have been on its way. Any
// other call was ended by the lock itself. Then the pause before the next call counts too, up
// to the slack.
//
// Its windows ignore that a living client may have been granted the lock without learning it. Otherwise
// a lock that answers nothing could never be flagged. One grant may go astray, and so may a
// second one. The factor Doubted allows for both.
func (r *deadlock) neverAnswered(l *timeline.Lock, windows []timeline.Window) []evidence {
	var out []evidence
	for _, win := range windows {
		if win.To-win.From <= timeline.Doubted*(r.run.Options.FreeBy()+int64(r.run.Options.Retry)) {
			continue
		}
		e, limit := evidence{Window: win, kind: unsettled}, r.run.Limit(win, 0)
		reach, answered := win.From, int64(math.MinInt64) // the last end of a call that the lock ended itself
		for _, w := range l.Kept {
			if w.Called >= win.To {
				break
			}
			from, to := w.Called, w.End
			switch {
			case !w.Asked():
				continue
			// The client stopped waiting. A grant may have been on its way to it.
			case w.Ret != nil && w.Ret.Refused == history.ByTime:
				to -= r.run.Options.ToldBy()
			// The lock itself had ended the previous call, so a short pause after that call
			// counts too.
			case from <= answered+r.run.Options.Slack():
				from = min(from, answered)
			}
			if w.Ret == nil || w.Ret.Refused != history.ByTime {
				answered = max(answered, w.End)
			}
			// Calls overlap; reach keeps a moment from being counted twice.
			if from, to = max(from, reach), min(to, win.To); to > from {
				if e.prolong(w, from, to, func(at int64) int64 { return timeline.Doubted * (limit(at) + int64(r.run.Options.Retry)) }) {
					e.at = max(e.at, w.Called)
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

// multiple returns n times a limit.
func multiple(n int64, limit func(int64) int64) func(int64) int64 {
	return func(at int64) int64 { return n * limit(at) }
}
