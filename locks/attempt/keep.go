package attempt

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// A Watchdog renews leases once in a period. A renewal that is not answered is tried again
// after a pause, for as long as the lease is valid.
type Watchdog struct {
	Period time.Duration
	Pause  func() time.Duration
	Clock  locks.Clock
}

// Keep starts to renew a lease and returns at once. It ends with alive, with the lease, or
// when that is lost: when a renewal is answered by locks.ErrNotHeld, or the validity has
// passed.
func (w Watchdog) Keep(alive context.Context, l Renewable) {
	ctx, end := context.WithCancel(alive)
	l.Guard(end)
	go w.watch(ctx, l)
}

func (w Watchdog) watch(ctx context.Context, l Renewable) {
	next := w.Period
	for {
		// Never sleep past the end of the validity: its end must be told.
		Wait(ctx.Done(), w.Clock, max(0, min(next, w.left(l))))
		if ctx.Err() != nil {
			return
		}
		left := w.left(l)
		if left <= 0 {
			l.Lose()
			return
		}
		rctx, cancel := context.WithTimeout(ctx, left)
		err := l.Renew(rctx)
		cancel()
		switch {
		case err == nil:
			next = w.Period
		case errors.Is(err, locks.ErrNotHeld):
			l.Lose()
			return
		default:
			next = w.Pause()
		}
	}
}

// left is how long a lease is still valid.
func (w Watchdog) left(l Renewable) time.Duration { return l.Until().Sub(w.Clock.Now()) }
