package nemesis

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// A fault of servers that strikes while nobody holds the lock shows nothing.
// So half of them are given a holder: a client that is kept at work inside its
// critical section, before it asks for its validity again, from before the strike until
// a quarter of the TTL after it. Its lease lasts longer than that.

// drawHolder draws the client that is kept at work, every time or half the time; 0 is none.
func drawHolder(r *rand.Rand, w *World, always bool) int {
	if len(w.Clients) == 0 {
		return 0
	}
	if c := 1 + r.IntN(len(w.Clients)); r.IntN(2) == 0 || always {
		return c
	}
	return 0
}

// linger keeps the step's holder at work. It returns what lets the client go, which may be
// called often, and is set off a quarter of the TTL after started is called. If
// the client does not come to work in time the fault goes on without it.
func linger(ctx context.Context, w *World, s Step) (started, letGo func(), where string, err error) {
	none := func() {}
	if s.Holder == 0 {
		return none, none, "", nil
	}
	where, letGo, err = w.Clients[s.Holder-1].Linger(ctx, w.TTL/2)
	switch {
	case errors.Is(err, ErrNotStruck):
		return none, none, "", nil
	case err != nil:
		return none, none, "", err
	}
	started = func() { time.AfterFunc(w.TTL/4, letGo) }
	return started, letGo, "; " + where, nil
}
