package redislib

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A Rueidislock is github.com/redis/rueidis/rueidislock on one Redis (KeyMajority 1).
//
// Algorithm: SET NX PXAT with a random value; the validity of the key is extended twice in each
// period; client-side caching notifies waiters and the holder of changes of the key. Source: the
// library. Clock: the client's wall clock determines the expiry of the key, the server's clock
// carries it out. The recorded promise is the context that the library returns: the loss is
// reported when it is done.
//
// It does not promise that a waiter is woken: a refused waiter may be forgotten (seen in v1.0.79),
// so an Acquire should have a deadline. Nor does it promise that a holder that is paused or cut off
// stops before its key is gone, nor anything to clients whose clocks differ from the server's. A
// release does not report whether the key was still there, and the library does not show the owner
// value.
type Rueidislock struct {
	locker ContextLocker
	// drop closes the connections.
	drop func()
}

// A ContextLocker is the common interface of the library and its fork.
type ContextLocker interface {
	WithContext(ctx context.Context, name string) (context.Context, context.CancelFunc, error)
	TryWithContext(ctx context.Context, name string) (context.Context, context.CancelFunc, error)
}

var (
	_ locks.Locker = (*Rueidislock)(nil)
	_ locks.Trier  = (*Rueidislock)(nil)
)

// RueidislockTraits returns the lock's traits.
func RueidislockTraits() locks.Traits {
	return locks.Traits{
		Wait: "watch", Renews: true, Watched: true, Blind: true, Validity: "context",
		LeastTTL: 500 * time.Millisecond, Model: "lease",
		// The server notifies a waiter of an expiry only when it has noticed the expiry
		// itself. Keys that nobody accesses are checked ten times a second, some of them at a
		// time.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + time.Second },
		Clock:      "the Redis server's and the client's wall clocks",
	}
}

// OfContexts returns a lock on top of a library with these methods; drop closes the library's
// connections. Package rueidis uses OfContexts for rueidislock, drivers/go/valkey for the
// fork.
func OfContexts(locker ContextLocker, drop func()) *Rueidislock { return &Rueidislock{locker, drop} }

// Acquire calls WithContext.
func (r *Rueidislock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.with(ctx, name, r.locker.WithContext)
}

// TryAcquire calls TryWithContext.
func (r *Rueidislock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.with(ctx, name, r.locker.TryWithContext)
}

// A withFunc is one of the two methods by which the library takes a lock. The context that it
// returns ends with the lock.
type withFunc func(ctx context.Context, name string) (context.Context, context.CancelFunc, error)

// with calls the library with a context of the lease's own, which continues when the caller's has
// ended. An error is certain: the library returns one only after it has deleted its key or the key
// has expired.
func (r *Rueidislock) with(ctx context.Context, name string, with withFunc) (locks.Lease, error) {
	_, name = locks.SplitName(name) // the library adds the prefix itself
	own, end := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, end)
	held, cancel, err := with(own, name)
	if !stop() && err == nil {
		cancel() // the caller's context ended at the same moment
		err = context.Canceled
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, errors.Join(err, ctx.Err()))
	}
	l := &rueidisLease{ctx: held, cancel: cancel, end: end, lost: make(chan struct{})}
	context.AfterFunc(held, func() {
		if !l.released.Load() {
			close(l.lost)
		}
	})
	return l, nil
}

// Close drops the connections. Held locks are not released.
func (r *Rueidislock) Close() error {
	r.drop()
	return nil
}

// A rueidisLease is a context of the library.
type rueidisLease struct {
	// ctx is done when the lease is over, for any reason.
	ctx      context.Context
	cancel   context.CancelFunc
	end      context.CancelFunc
	released atomic.Bool
	lost     chan struct{}
}

var _ locks.Watched = (*rueidisLease)(nil)

// Lost returns a channel that is closed when the library's context ends, except by a release.
func (l *rueidisLease) Lost() <-chan struct{} { return l.lost }

// Release calls the library's cancel function, which waits until the key is deleted or has expired,
// and does not report which. ErrNotHeld means that the context had ended before.
func (l *rueidisLease) Release(ctx context.Context) error {
	if l.ctx.Err() != nil || l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	done := make(chan struct{})
	go func() {
		l.cancel()
		l.end()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("release: %w", ctx.Err())
	}
}
