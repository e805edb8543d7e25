package rule

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

const (
	// enoughChances is how many chances a client must have missed one after the other. A lock
	// that chooses evenly among n waiters passes one of them over that often with a
	// probability of (1-1/n)^(50n) < e^-50. A lock that gives it half of an even share does so
	// with a probability of e^-25 = 1e-11.
	enoughChances = 50
	// leastPatience is the shortest time after which a client counts as starved.
	// A fast lock may grant fifty times in a moment, and a short wait is no starvation.
	leastPatience = int64(5 * time.Second)
	// usualRetry is assumed where the lock does not say how often its waiters ask.
	usualRetry = int64(100 * time.Millisecond)
)

// starved finds clients that waited for a lock in vain, for long and while many chances went to
// others.
//
// Guarantee: nobody asks for ever while others are served. No order is required: a lock that
// chooses by chance, with half of an even share for this client, would not have let it wait
// for so long (enoughChances). Time in which a fault may have struck the client does not
// count.
//
// Not judged for locks that several can hold and that declare no order: readers that are let in
// while a writer waits are measured only (bypasses).
type starved struct {
	base
	turns
}

// turns holds who was served by a lock, and who waits for it.
type turns struct {
	by      map[int]*turn   // client → its turn since it was served last
	last    *timeline.Lease // the last grant
	chances float64         // chances of a client that always waited, in times without faults
	calm    int64           // ns without faults, until the last grant
}

// A turn is a client that has called for the lock and was not served yet.
type turn struct {
	call    *history.Op      // the first of its calls since it was served last
	waited  []*timeline.Call // the first and the last wait that count
	chances float64
	calm    int64

	// since is subtracted from the counts at the end of now, so that only chances during the wait count.
	now   *timeline.Call // under way; nil: it does not wait
	since turns          // the counts when now was called
}

func newStarved(b base) *starved { return &starved{b, turns{by: map[int]*turn{}}} }

// Called notes who begins to wait.
func (r *starved) Called(_ *timeline.Lock, w *timeline.Call) {
	t := &r.turns
	c := t.by[w.Client]
	if c == nil {
		c = &turn{call: w.Inv}
		t.by[w.Client] = c
	}
	if c.now != nil { // the earlier wait never ended: its client died
		r.judge(c)
		c.reset()
	}
	// A try does not wait, so it misses no chance.
	if w.Inv.F != history.Acquire {
		return
	}
	c.now, c.since = w, turns{chances: t.chances, calm: t.calm}
	if t.last != nil {
		c.since.calm += w.Called - t.last.Granted()
	}
}

func (c *turn) reset() { c.waited, c.chances, c.calm, c.now = nil, 0, 0, nil }

// Granted counts the chances that a grant gave to those who waited. If the lock went to
// another client than before, that client was chosen among all. If the lock had been free for
// a while when it was called for, a client that asks once in a retry interval had a chance to
// find it free.
//
// Time between two grants counts only if no fault was in place that may strike anybody. Faults
// that struck only the waiter are considered when its wait ends.
func (r *starved) Granted(l *timeline.Lock, w *timeline.Call) {
	t, g := &r.turns, w.Lease
	calm := t.last != nil && !r.run.Upset(timeline.Everybody, t.last.Granted(), g.Granted())
	if !calm {
		t.discount()
	}
	if calm {
		t.calm += g.Granted() - t.last.Granted()
		if t.last.Client != g.Client {
			t.chances += r.share()
		}
		retry := max(int64(r.run.Options.Retry), int64(10*time.Millisecond))
		if r.run.Options.Retry == 0 {
			retry = usualRetry
		}
		// Freed is 0 where no release showed when the last holder had gone.
		if l.Holding == 0 && l.Freed > 0 {
			t.chances += float64(min(max(g.Inv.Time-l.Freed, 0), retry)) / float64(retry)
		}
	}
	t.last = g
}

// discount takes back the time that was counted in advance for calls made in a time that does
// not count.
func (t *turns) discount() {
	for _, c := range t.by {
		c.since.calm = min(c.since.calm, t.calm)
	}
}

// share returns one client's even share of the lock, between 0 and 1. Clients that never asked
// count too, which makes the share smaller and the rule more lenient.
func (r *starved) share() float64 { return 1 / float64(max(len(r.run.Clients), len(r.by), 2)) }

// Ended ends a wait, and the turn of its client if it was served.
func (r *starved) Ended(_ *timeline.Lock, w *timeline.Call) {
	c := r.by[w.Client]
	switch {
	case c == nil || w.Within != nil:
	case c.now == w:
		r.starve(c, w)
	// A turn ends when its client is served, in whichever way.
	case w.Lease != nil: // it was served by a try
		r.judge(c)
	case w.Unknown(): // it was served, perhaps
		r.judge(c)
		c.reset()
	}
	if w.Lease != nil && w.Within == nil {
		delete(r.by, w.Client)
	}
}

// starve adds a wait to the turn of its client. A wait that a fault of its client has upset
// does not count, and neither does what came before it. A call of unknown outcome ends the
// turn, because it may have taken the lock.
func (r *starved) starve(c *turn, w *timeline.Call) {
	since := c.since
	c.now = nil
	// The guard of the client refused the call. Nobody missed anything.
	if !w.Asked() {
		return
	}
	if r.run.UpsetAlone(w.Client, w.Called, w.End) || w.Dead {
		r.judge(c)
		c.reset()
		return
	}
	c.waited = append(c.waited[:min(len(c.waited), 1)], w)
	// Not all of the chances between the call and the next grant were the waiter's, so one
	// grant's chances are subtracted.
	c.chances += max(0, r.chances-since.chances-1-r.share())
	c.calm += max(0, r.calm-since.calm)
	if w.Ret == nil || !w.Refused() {
		r.judge(c)
		c.reset()
	}
}

// patienceFor returns for how many ns a client must have waited to count as starved.
// A client that asks once in a retry interval needs fifty of them to take fifty chances.
func patienceFor(o timeline.Options) int64 {
	return max(leastPatience, o.FreeBy(), int64(o.Retry)*enoughChances)
}

// judge judges a turn that is over.
func (r *starved) judge(c *turn) {
	if r.run.Options.FreeWithin <= 0 || r.run.Options.Sharing() || c.chances < enoughChances || c.calm < patienceFor(r.run.Options) || len(c.waited) == 0 {
		return
	}
	first, last := c.waited[0], c.waited[len(c.waited)-1]
	end := min(last.End, r.run.End)
	r.found.Add("starved", first.Called, func() incident.Anomaly {
		w := []*history.Op{first.Inv, last.Inv, last.Ret}
		if g := r.last; g != nil {
			w = append(w, g.Inv, g.Ret)
		}
		return incident.Anomaly{
			Lock: first.Lock.Name, Time: end, Ops: incident.Ops(w...),
			Sentence: fmt.Sprintf("%s waited for %s from %s to %s. For %s of this time, no fault hit this client. Others were served, but this client missed %.0f chances in a row. If the lock gives each client at least half of an even share, the probability of %d missed chances in a row is only 1e-11",
				timeline.Who(first.Client), first.Lock.Name, timeline.At(first.Called), timeline.At(end), timeline.Dur(c.calm), c.chances, enoughChances),
		}
	})
}

// check judges the turns that the end of the history has cut off.
func (r *starved) check(p *timeline.Piece) {
	if !p.Last {
		return
	}
	for _, client := range slices.Sorted(maps.Keys(r.by)) {
		c := r.by[client]
		if c.now != nil {
			r.starve(c, c.now)
		}
		r.judge(c)
	}
}
