package attempt

import (
	"context"
	"time"

	"locktorture/locks"
)

// Wait blocks for d by the given clock, or until over is closed.
func Wait(over <-chan struct{}, clock locks.Clock, d time.Duration) {
	c, stop := clock.After(d)
	defer stop()
	select {
	case <-c:
	case <-over:
	}
}

// Graced returns a context that ends a grace period after ctx does, so that the outcome of a
// request under way becomes known.
func Graced(ctx context.Context, clock locks.Clock, grace time.Duration) (context.Context, context.CancelFunc) {
	g, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		Wait(g.Done(), clock, grace)
		cancel()
	})
	return g, func() { stop(); cancel() }
}

// OrElse returns d, or otherwise if d is not positive.
func OrElse(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// ClockOr returns c, or the host's clock if c is nil.
func ClockOr(c locks.Clock) locks.Clock {
	if c == nil {
		return locks.SystemClock{}
	}
	return c
}
