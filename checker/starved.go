package checker

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"locktorture/history"
)

const (
	// enoughChances is how many chances a client must have missed one after the other. A lock
	// that chooses evenly among n waiters passes one of them over that often with a
	// probability of (1-1/n)^(50n) < e^-50, one that gives it half of its share with e^-25 =
	// 1e-11.
	enoughChances = 50
	// leastPatience is the shortest time after which a client counts as starved.
	leastPatience = int64(5 * time.Second)
	// usualRetry is assumed where the lock does not say how often its waiters ask.
	usualRetry = int64(100 * time.Millisecond)
)

// starved finds clients that waited for a lock in vain, for long and while many chances went to
// others.
type starved struct {
	base
	turns
}

// turns is what is known of who was served by a lock, and who waits.
type turns struct {
	by      map[int]*turn // client → since it was served last
	last    *lease        // the last grant
	chances float64       // that somebody who always waited had, in times without faults
	calm    int64         // ns of such times, until the last grant
}

// A turn is a client that has called for the lock and was not served yet.
type turn struct {
	call    *history.Op // the first of its calls since it was served last
	waited  []*wait     // the first and the last wait that count
	chances float64
	calm    int64

	now   *wait // under way; nil: it does not wait
	since turns // what was known when that was called
}

func newStarved(b base) *starved { return &starved{b, turns{by: map[int]*turn{}}} }

func (r *starved) called(_ *lockView, w *wait) {
	t := &r.turns
	c := t.by[w.client]
	if c == nil {
		c = &turn{call: w.inv}
		t.by[w.client] = c
	}
	if c.now != nil { // that one never ended: its client died
		r.judge(c)
		c.reset()
	}
	if w.inv.F != history.Acquire {
		return
	}
	c.now, c.since = w, turns{chances: t.chances, calm: t.calm}
	if t.last != nil {
		c.since.calm += w.call - t.last.granted()
	}
}

func (c *turn) reset() { c.waited, c.chances, c.calm, c.now = nil, 0, 0, nil }

// granted counts the chances that a grant was to those who waited: it went to another than
// before, whom the lock chose among all its clients, or it was called for when the lock was
// free for so long, and who asks once in a retry interval had that chance of finding it so.
func (r *starved) granted(l *lockView, w *wait) {
	t, g := &r.turns, w.lease
	calm := t.last != nil && !r.run.upset(everybody, t.last.granted(), g.granted())
	if !calm {
		t.discount()
	}
	if calm {
		t.calm += g.granted() - t.last.granted()
		if t.last.client != g.client {
			t.chances += r.share()
		}
		retry := max(int64(r.run.o.Retry), int64(10*time.Millisecond))
		if r.run.o.Retry == 0 {
			retry = usualRetry
		}
		if l.holding == 0 && l.freed > 0 {
			t.chances += float64(min(max(g.inv.Time-l.freed, 0), retry)) / float64(retry)
		}
	}
	t.last = g
}

// discount takes back what was counted of a time of no use before a call in it.
func (t *turns) discount() {
	for _, c := range t.by {
		c.since.calm = min(c.since.calm, t.calm)
	}
}

// share is an even share in the lock, of one client.
func (r *starved) share() float64 { return 1 / float64(max(len(r.run.clients), len(r.by), 2)) }

// ended ends a wait, and the turn of its client if it was served.
func (r *starved) ended(_ *lockView, w *wait) {
	c := r.by[w.client]
	switch {
	case c == nil || w.within != nil:
	case c.now == w:
		r.starve(c, w)
	case w.lease != nil: // by a try
		r.judge(c)
	case w.unknown(): // the same, perhaps
		r.judge(c)
		c.reset()
	}
	if w.lease != nil && w.within == nil {
		delete(r.by, w.client)
	}
}

// starve adds a wait to the turn of its client. Neither one that a fault of the client has
// upset counts, nor what was before it; and the lock may have been taken by one of unknown
// outcome.
func (r *starved) starve(c *turn, w *wait) {
	since := c.since
	c.now = nil
	if !w.asked() {
		return
	}
	if r.run.upsetAlone(w.client, w.call, w.end) || w.dead {
		r.judge(c)
		c.reset()
		return
	}
	c.waited = append(c.waited[:min(len(c.waited), 1)], w)
	// What came between the call and the next grant is not all the waiter's: one grant less.
	c.chances += max(0, r.chances-since.chances-1-r.share())
	c.calm += max(0, r.calm-since.calm)
	if w.ret == nil || !w.refused() {
		r.judge(c)
		c.reset()
	}
}

// patienceFor is how long a client must have waited to count as starved.
func patienceFor(o Options) int64 {
	return max(leastPatience, o.freeBy(), int64(o.Retry)*enoughChances)
}

// judge judges a turn that is over.
func (r *starved) judge(c *turn) {
	if r.run.o.FreeWithin <= 0 || r.run.o.sharing() || c.chances < enoughChances || c.calm < patienceFor(r.run.o) || len(c.waited) == 0 {
		return
	}
	first, last := c.waited[0], c.waited[len(c.waited)-1]
	end := min(last.end, r.run.end)
	r.found.add("starved", first.call, func() Anomaly {
		w := []*history.Op{first.inv, last.inv, last.ret}
		if g := r.last; g != nil {
			w = append(w, g.inv, g.ret)
		}
		return Anomaly{
			Lock: first.lock.name, Time: end, Ops: ops(w...),
			Sentence: fmt.Sprintf("%s waited for %s from %s to %s and was not served, %s of it without a fault that struck it, while others were: it missed %.0f chances (a lock that gave it half of an even share would let it miss %d in a row with a probability of 1e-11)",
				who(first.client), first.lock.name, at(first.call), at(end), dur(c.calm), c.chances, enoughChances),
		}
	})
}

// check judges the turns that the end of the history has cut off.
func (r *starved) check(p *piece) {
	if !p.last {
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
