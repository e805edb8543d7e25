package rule

import (
	"locktorture/history"
	"locktorture/timeline"
)

// A vain sums the time in which a lock was waited for in vain in a window. A slow call proves less
// than others. If slow calls alone are the evidence, they must have waited for Slow times the limit.
//
// A slow call counts in full in all. In sure it counts only as far as earlier waits reach, because
// these show that the lock was not free then.
type vain struct {
	all, sure         evidence // by all waits; only by waits that were not slow, or not alone
	reached, sureness int64    // until when all and sure are summed up
}

func newVain(win timeline.Window) *vain {
	e := evidence{Window: win, kind: waitedFor}
	return &vain{all: e, sure: e, reached: win.From, sureness: win.From}
}

// add counts a wait until a moment; waits come in the order of their calls.
func (s *vain) add(o timeline.Options, w *timeline.Call, to int64, limit func(int64) int64) {
	count := func(e *evidence, reached *int64, to int64, limit func(int64) int64) {
		from := max(*reached, w.Called)
		if to <= from {
			return
		}
		// The last retry interval of a wait was cut off to be safe, so the moment is that much later. It
		// is no earlier than the call had waited long enough, and no later than its end.
		if e.prolong(w, from, to, limit) {
			e.at = min(max(e.at+int64(o.Retry), w.Called+o.ToldBy()+1), w.End, e.To)
		}
		*reached = to
	}
	beside := to
	if slow(o, w) {
		beside = min(to, s.reached)
	}
	count(&s.sure, &s.sureness, beside, limit)
	count(&s.all, &s.reached, to, multiple(timeline.Slow, limit))
}

// shown returns the evidence that was complete first; nil if there is none.
func (s *vain) shown() *evidence {
	switch {
	case s.sure.last == nil && s.all.last == nil:
		return nil
	case s.all.last == nil, s.sure.last != nil && s.sure.at <= s.all.at:
		return &s.sure
	}
	return &s.all
}

// slow reports whether the call itself may have been slow, while the lock was free. If its outcome
// is unknown, a grant may not have reached the client in time. If the service refused it late,
// perhaps no server answered: a client that cannot connect within its timeout is refused, too.
func slow(o timeline.Options, w *timeline.Call) bool {
	refusedLate := w.Ret != nil && w.Ret.Refused == history.ByServer && w.End-w.Called > o.ToldBy()
	return w.Unknown() || refusedLate
}
