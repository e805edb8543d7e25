package nemesis

import (
	"context"
	"errors"
	"time"
)

// A fault of servers that strikes while the lock is free has no visible effect. Three of four such
// faults therefore get a holder: a client that is kept at work inside its critical section, before
// its next check of the validity, from before the strike until a quarter of the TTL after it. Its
// lease lasts longer than that. The schedule names the client; but a lock is not always granted to
// the same client, so the first client that works is used if the drawn one has not appeared in a
// quarter of the TTL.

// drawHolder draws the client that is kept at work, always or three times in four. 0 means none.
func drawHolder(d *Draw, w *World, always bool) int {
	if len(w.Clients) == 0 {
		return 0
	}
	if !always && d.one("holder", 1, 3) == 0 {
		return 0
	}
	return 1 + d.IntN(len(w.Clients))
}

// linger keeps the step's holder at work, or another client. It returns letGo, which releases
// the client and may be called several times. The caller calls started when its fault strikes;
// letGo is then called a quarter of the TTL later. If no client works in time, the fault
// continues without a holder.
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

// anyone keeps one client at work: the first that starts to work within half of the TTL.
func anyone(ctx context.Context, w *World) (where string, letGo func(), err error) {
	all := indices(len(w.Clients))
	for i := range all {
		all[i]++
	}
	m, err := firstOf(ctx, w, all, func(ctx context.Context, c Client) (string, func(), error) { return c.Linger(ctx, w.TTL/2) })
	return m.where, m.letGo, err
}
