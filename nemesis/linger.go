package nemesis

import (
	"context"
	"errors"
	"time"
)

// A fault of servers that strikes while nobody holds the lock shows nothing. So three of four
// are given a holder: a client that is kept at work inside its critical section, before it
// asks for its validity again, from before the strike until a quarter of the TTL after it. Its
// lease lasts longer than that. Which client that is the schedule says; but a lock is not
// always granted to the same one, so whoever comes to work first is kept where the drawn one
// has not come in a quarter of the TTL.

// drawHolder draws the client that is kept at work, every time or three times in four; 0 is
// none.
func drawHolder(d *Draw, w *World, always bool) int {
	if len(w.Clients) == 0 {
		return 0
	}
	if !always && d.one("holder", 1, 3) == 0 {
		return 0
	}
	return 1 + d.IntN(len(w.Clients))
}

// linger keeps the step's holder at work, or another client. It returns what lets the client
// go, which may be called often, and is set off a quarter of the TTL after started is called.
// If nobody comes to work in time the fault goes on without a holder.
func linger(ctx context.Context, w *World, s Step) (started, letGo func(), where string, err error) {
	none := func() {}
	if s.Holder == 0 {
		return none, none, "", nil
	}
	where, letGo, err = w.Clients[s.Holder-1].Linger(ctx, w.TTL/4)
	if errors.Is(err, ErrNotStruck) {
		where, letGo, err = anyone(ctx, w)
	}
	switch {
	case errors.Is(err, ErrNotStruck):
		return none, none, "", nil
	case err != nil:
		return none, none, "", err
	}
	started = func() { time.AfterFunc(w.TTL/4, letGo) }
	return started, letGo, "; " + where, nil
}

// anyone keeps the first client at work that comes there within half of the TTL.
func anyone(ctx context.Context, w *World) (where string, letGo func(), err error) {
	all := indices(len(w.Clients))
	for i := range all {
		all[i]++
	}
	m, err := firstOf(ctx, w, all, func(ctx context.Context, c Client) (string, func(), error) { return c.Linger(ctx, w.TTL/2) })
	return m.where, m.letGo, err
}
