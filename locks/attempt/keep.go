package attempt

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// A Watchdog renews a lease once in each period. It repeats a renewal that gets no answer,
// after a pause, for as long as the lease is valid.
type Watchdog struct {
	Period time.Duration
	Pause  func() time.Duration
	Clock  locks.Clock
}

// Keep starts to renew a lease in the background and returns at once. The renewals stop when
// alive is done, when the lease is over, or when the lease is lost: a renewal was answered with
// locks.ErrNotHeld, or the validity has passed.
func (w Watchdog) Keep(alive context.Context, l Renewable) {
	ctx, end := context.WithCancel(alive)
	l.Guard(end)
	go w.watch(ctx, l)
}

// watch renews the lease until it is over. A renewal that gets no answer is repeated after Pause
// and not after Period, because the validity keeps running meanwhile.
func (w Watchdog) watch(ctx context.Context, l Renewable) {
	next := w.Period
	for {
		// Never sleep past the end of the validity: the loss must be reported then.
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

// left returns the remaining validity of the lease; it is negative after the end.
func (w Watchdog) left(l Renewable) time.Duration { return l.Until().Sub(w.Clock.Now()) }
