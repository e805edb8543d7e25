package redis

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// A kept lease is kept alive by a watchdog.
type kept interface {
	locks.Bounded
	locks.Renewer
	lose() // tells the loss, unless the lease was released
}

// keep renews a lease every third of its TTL, see keepEvery.
func (s *server) keep(ctx context.Context, ttl time.Duration, l kept) { s.keepEvery(ctx, ttl/3, l) }

// keepEvery renews a lease once in a period until ctx is done, which ends the
// watchdog, or the lease is lost. A renewal that is not answered is tried again as long as the
// lease is valid.
func (s *server) keepEvery(ctx context.Context, period time.Duration, l kept) {
	next := period
	for {
		// Never sleep past the end of the validity: its end must be told.
		left := l.Until().Sub(s.cfg.Clock.Now())
		c, stop := s.cfg.Clock.After(max(0, min(next, left)))
		select {
		case <-c:
			stop()
		case <-ctx.Done():
			stop()
			return
		}
		until := l.Until()
		if !s.cfg.Clock.Now().Before(until) {
			l.lose()
			return
		}
		rctx, cancel := context.WithTimeout(ctx, until.Sub(s.cfg.Clock.Now()))
		err := l.Renew(rctx)
		cancel()
		switch {
		case err == nil:
			next = period
		case errors.Is(err, locks.ErrNotHeld):
			l.lose()
			return
		default:
			next = s.pause()
		}
	}
}
