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

// turns is what is known of who was served by a lock, and who waits.
type turns struct {
	by      map[int]*turn // client → since it was served last
	last    *lease        // the last grant
	left    int64         // when its holder had surely gone; 0: not yet
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

func (v *view) calledFor(l *lockView, w *wait) {
	t := &l.turns
	if t.by == nil {
		t.by = map[int]*turn{}
	}
	c := t.by[w.client]
	if c == nil {
		c = &turn{call: w.inv}
		t.by[w.client] = c
	}
	if c.now != nil { // that one never ended: its client died
		v.starved(l, c)
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

// first is the time of the first call of a client since it was served last. A request that was
// given up may have left its place in the queue to the next.
func (t *turns) first(w *wait) int64 {
	if c := t.by[w.client]; c != nil {
		return c.call.Time
	}
	return w.call
}

func (c *turn) reset() { c.waited, c.chances, c.calm, c.now = nil, 0, 0, nil }

// served counts the chances that a grant was to those who waited: it went to another than
// before, whom the lock chose among all its clients, or it was called for when the lock was
// free for so long, and who asks once in a retry interval had that chance of finding it so.
func (v *view) served(l *lockView, g *lease) {
	t := &l.turns
	calm := t.last != nil && !v.upset(everybody, t.last.granted(), g.granted())
	if !calm {
		t.discount()
	}
	if calm {
		t.calm += g.granted() - t.last.granted()
		if t.last.client != g.client {
			t.chances += v.share(t)
		}
		retry := max(int64(v.o.Retry), int64(10*time.Millisecond))
		if v.o.Retry == 0 {
			retry = usualRetry
		}
		if l.holding == 0 && t.left > 0 {
			t.chances += float64(min(max(g.inv.Time-t.left, 0), retry)) / float64(retry)
		}
	}
	t.last, t.left = g, 0
}

// discount takes back what was counted of a time of no use before a call in it.
func (t *turns) discount() {
	for _, c := range t.by {
		c.since.calm = min(c.since.calm, t.calm)
	}
}

// share is an even share in the lock, of one client.
func (v *view) share(t *turns) float64 { return 1 / float64(max(len(v.clients), len(t.by), 2)) }

// turnOver ends a wait, and the turn of its client if it was served.
func (v *view) turnOver(l *lockView, w *wait) {
	c := l.turns.by[w.client]
	switch {
	case c == nil || w.within != nil:
	case c.now == w:
		v.starve(l, c, w)
	case w.lease != nil: // by a try
		v.starved(l, c)
	case w.unknown(): // the same, perhaps
		v.starved(l, c)
		c.reset()
	}
	if w.lease != nil && w.within == nil {
		delete(l.turns.by, w.client)
	}
}

// starve adds a wait to the turn of its client. Neither one that a fault of the client has
// upset counts, nor what was before it; and the lock may have been taken by one of unknown
// outcome.
func (v *view) starve(l *lockView, c *turn, w *wait) {
	since := c.since
	c.now = nil
	if !w.asked() {
		return
	}
	if v.upsetAlone(w.client, w.call, w.end) || w.dead {
		v.starved(l, c)
		c.reset()
		return
	}
	c.waited = append(c.waited[:min(len(c.waited), 1)], w)
	// What came between the call and the next grant is not all the waiter's: one grant less.
	c.chances += max(0, l.turns.chances-since.chances-1-v.share(&l.turns))
	c.calm += max(0, l.turns.calm-since.calm)
	if w.ret == nil || !w.refused() {
		v.starved(l, c)
		c.reset()
	}
}

// patienceFor is how long a client must have waited to count as starved.
func (o Options) patienceFor() int64 {
	return max(leastPatience, o.freeBy(), int64(o.Retry)*enoughChances)
}

// starved judges a turn that is over.
func (v *view) starved(l *lockView, c *turn) {
	if v.o.FreeWithin <= 0 || v.o.sharing() || c.chances < enoughChances || c.calm < v.o.patienceFor() || len(c.waited) == 0 {
		return
	}
	first, last := c.waited[0], c.waited[len(c.waited)-1]
	end := min(last.end, v.end)
	l.found.add("starved", first.call, func() Anomaly {
		w := []*history.Op{first.inv, last.inv, last.ret}
		if g := l.turns.last; g != nil {
			w = append(w, g.inv, g.ret)
		}
		return Anomaly{
			Lock: l.name, Time: end, Ops: ops(w...),
			Sentence: fmt.Sprintf("%s waited for %s from %s to %s and was not served, %s of it without a fault that struck it, while others were: it missed %.0f chances (a lock that gave it half of an even share would let it miss %d in a row with a probability of 1e-11)",
				who(first.client), l.name, at(first.call), at(end), dur(c.calm), c.chances, enoughChances),
		}
	})
}

// lastTurns judges the turns that the end of the history has cut off.
func (v *view) lastTurns(l *lockView) {
	for _, client := range slices.Sorted(maps.Keys(l.turns.by)) {
		c := l.turns.by[client]
		if c.now != nil {
			v.starve(l, c, c.now)
		}
		v.starved(l, c)
	}
}
