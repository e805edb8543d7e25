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
// Algorithm: SET NX PXAT with a random value; the key is given another validity
// twice in each; waiters and holder are told by client-side caching that
// the key has changed. Source: the library. Clock: the client's wall clock says
// when the key expires, the server's when that is. The promise that is recorded is the
// context that the library returns: the loss is told when it is done.
//
// It does not promise that a waiter is woken: one that was refused may have been forgotten
// (seen in v1.0.79), so that an Acquire should have an end. Nor that a holder that is paused or
// cut off stops before its key is gone, nor anything to clients whose clocks differ from the
// server's. A release does not tell whether the key was still there, and the owner value is not
// told at all.
type Rueidislock struct {
	locker ContextLocker
	drop   func() // the connections
}

// A ContextLocker is what the library and its fork have in common.
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
		// A waiter hears of an expiry when the server has found it out, which it
		// does for keys that nobody asks for ten times a second, some at a time.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + time.Second },
		Clock:      "the Redis server's and the client's wall clocks",
	}
}

// OfContexts returns the lock over such a library, and a function that drops its connections.
// Package rueidis makes it of rueidislock, drivers/go/valkey of its fork.
func OfContexts(locker ContextLocker, drop func()) *Rueidislock { return &Rueidislock{locker, drop} }

// Acquire calls WithContext.
func (r *Rueidislock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.with(ctx, name, r.locker.WithContext)
}

// TryAcquire calls TryWithContext.
func (r *Rueidislock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.with(ctx, name, r.locker.TryWithContext)
}

type withFunc func(ctx context.Context, name string) (context.Context, context.CancelFunc, error)

// with calls the library. The context that it is given is the lease's, which
// goes on when the caller's has ended. An error is certain: the library returns one only
// when it has deleted what it had set, or the validity of that is over.
func (r *Rueidislock) with(ctx context.Context, name string, with withFunc) (locks.Lease, error) {
	_, name = locks.SplitName(name) // the prefix is the library's
	own, end := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, end)
	held, cancel, err := with(own, name)
	if !stop() && err == nil {
		cancel() // the caller gave up in the same moment
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

// Close drops the connections. What is held is not released.
func (r *Rueidislock) Close() error {
	r.drop()
	return nil
}

// A rueidisLease is a context of the library.
type rueidisLease struct {
	ctx      context.Context // done when the lease is over, for whatever reason
	cancel   context.CancelFunc
	end      context.CancelFunc
	released atomic.Bool
	lost     chan struct{}
}

var _ locks.Watched = (*rueidisLease)(nil)

// Lost returns a channel that is closed when the library's context is done, but by a release.
func (l *rueidisLease) Lost() <-chan struct{} { return l.lost }

// Release calls the library's cancel, which waits until the key is deleted or its
// validity over, and does not say which. ErrNotHeld says that the context was
// done before.
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
