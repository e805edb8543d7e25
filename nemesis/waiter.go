package nemesis

import (
	"context"
	"errors"
	"fmt"
)

// OnWaiter is the mode of a fault that strikes a client while it waits for a lock that another
// one has. What such a client leaves behind – its place in a queue, its entry at the server,
// its part of a count – is not what a holder leaves.
const OnWaiter = "waiter"

// Where several clients contend, one strike in three is at a waiter.
const atHolder, atWaiter = 2, 1

// drawWaiter reports whether the next strike at a client is at a waiter. One client alone waits
// for nobody.
func drawWaiter(d *Draw, w *World) bool {
	return len(w.Clients) > 1 && d.one("whom", atHolder, atWaiter) == 1
}

// nobodyWaited is added to what was seen of a strike at a waiter that met a holder instead.
const nobodyWaited = ", as no client was waiting"

// meet keeps the client where the step is to strike it: in a section, or, for a quarter of the
// TTL, where it waits.
func meet(ctx context.Context, w *World, s Step, c Client, b Span) (where string, letGo func(), err error) {
	if s.Mode == OnWaiter {
		return c.MeetWaiting(ctx, w.TTL/4)
	}
	return c.Meet(ctx, bound(w, b))
}

// meetAny keeps the first of some clients that comes where the step is to strike. Where nobody
// waits within a quarter of the TTL it is the first that comes into a section.
func meetAny(ctx context.Context, w *World, s Step, free []int, b Span) (meeting, error) {
	came := func(s Step) (meeting, error) {
		return firstOf(ctx, w, free, func(ctx context.Context, c Client) (string, func(), error) { return meet(ctx, w, s, c, b) })
	}
	m, err := came(s)
	if s.Mode == OnWaiter && errors.Is(err, ErrNotStruck) {
		s.Mode = ""
		m, err = came(s)
		m.where += nobodyWaited
	}
	if errors.Is(err, ErrNotStruck) {
		err = fmt.Errorf("%w: no client came to work within %v", ErrNotStruck, bound(w, b))
	}
	return m, err
}
