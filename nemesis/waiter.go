package nemesis

import (
	"context"
	"errors"
	"fmt"
)

// OnWaiter is the mode of a fault that strikes a client while it waits for a lock that another
// client has. Such a client leaves other traces than a holder: a place in a queue, an entry at the
// server, a part of a count.
const OnWaiter = "waiter"

// Weights of the victims if several clients contend: one strike in three is at a waiter.
const atHolder, atWaiter = 2, 1

// drawWaiter reports whether the next strike at a client is at a waiter. A single client never
// waits.
func drawWaiter(d *Draw, w *World) bool {
	return len(w.Clients) > 1 && d.one("whom", atHolder, atWaiter) == 1
}

// nobodyWaited is appended to the description of a strike that was meant for a waiter but
// struck a client that was not waiting.
const nobodyWaited = ", as no client was waiting"

// meet stops the client at the place of the step: in a section, or, for a quarter of the TTL, while
// it waits.
func meet(ctx context.Context, w *World, s Step, c Client, b Span) (where string, letGo func(), err error) {
	if s.Mode == OnWaiter {
		return c.MeetWaiting(ctx, w.TTL/4)
	}
	return c.Meet(ctx, bound(w, b))
}

// meetAny stops the first of some clients that reaches the place of the step. If none waits within
// a quarter of the TTL, it stops the first one that enters a section.
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
		err = fmt.Errorf("%w: no client entered a section within %v", ErrNotStruck, bound(w, b))
	}
	return m, err
}
