package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
)

// A leaver is the lock that granted a reentrantLease.
type leaver interface {
	leave(ctx context.Context, h *hold) (int64, error)
	base() *Reentrant
}

// base returns the part that all these locks share.
func (r *Reentrant) base() *Reentrant { return r }

// A reentrantLease is one entry into a hold.
type reentrantLease struct {
	hold *hold
	from leaver

	mu sync.Mutex
	// gone is set once a release was sent, because a repeated one could free the lock of a later
	// holder.
	gone bool
	// left is the result of the release.
	left error
}

var (
	_ locks.Bounded = (*reentrantLease)(nil)
	_ locks.Watched = (*reentrantLease)(nil)
	_ locks.Renewer = (*reentrantLease)(nil)
	_ locks.Owned   = (*reentrantLease)(nil)
)

// Until returns the start of the latest request that extended the hold, plus the TTL.
func (l *reentrantLease) Until() time.Time { return l.hold.Until() }

// Lost returns a channel that is closed when the hold is known to be over.
func (l *reentrantLease) Lost() <-chan struct{} { return l.hold.Lost() }

// Owner returns the field of the hash.
func (l *reentrantLease) Owner() string { return l.hold.owner }

// Guard sets the function that stops the watchdog.
func (l *reentrantLease) Guard(end context.CancelFunc) { l.hold.Guard(end) }

// Lose reports the loss of the hold.
func (l *reentrantLease) Lose() { l.hold.Lose() }

// Renew extends the hold to one TTL from now.
func (l *reentrantLease) Renew(ctx context.Context) error {
	r := l.from.base()
	start := r.cfg.Clock.Now()
	if err := r.change(ctx, "renew", r.scripts.renew, l.hold.name, l.hold.owner, r.life.Milliseconds()); err != nil {
		return err
	}
	l.hold.Extend(start.Add(r.life))
	return nil
}

// Release leaves the lock once; the last release frees it. The request is sent only once: after an
// unknown outcome, a second call returns the same error.
func (l *reentrantLease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone {
		if l.left == nil || errors.Is(l.left, locks.ErrNotHeld) {
			return locks.ErrNotHeld
		}
		return l.left
	}
	l.gone = true
	l.left = l.release(ctx)
	return l.left
}

// release ends one entry. The lock is free when the server has counted the last one.
func (l *reentrantLease) release(ctx context.Context) error {
	r := l.from.base()
	inside := r.holds.leave(l.hold)
	rctx, cancel := r.terms.Request(ctx)
	defer cancel()
	start := r.cfg.Clock.Now()
	n, err := l.from.leave(rctx, l.hold)
	switch {
	case err != nil:
		r.holds.forget(l.hold)
		return fmt.Errorf("release: %w", err)
	case n < 0:
		l.hold.Lose()
		return locks.ErrNotHeld
	case n > 0 && inside == 0: // a request without an answer had entered the lock
		return fmt.Errorf("release: the server counts %d unknown entries", n)
	case n > 0:
		l.hold.Extend(start.Add(r.life))
	}
	return nil
}
