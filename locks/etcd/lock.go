package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is a queue of keys: the one that was created first holds the lock, and everybody else
// watches the key before their own, and looks again when that is gone. The keys of a client
// belong to one lease, which is kept alive.
//
// Source: etcd's documentation and its package concurrency, with a key for each
// call and one round trip less where there are waiters. Clock: the etcd leader's
// monotonic clock ends the lease; the client's tells its loss.
//
// It does not promise that a holder that is stopped, or cut off, stops before
// its lease is over. A call that was left in doubt ends the lease, and with it
// all that the client holds (their loss is told).
type Lock struct{ *client }

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it gets its lease when it first acquires.
func New(cfg Config) (*Lock, error) {
	s, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	return &Lock{s}, nil
}

// Traits is what the lock declares.
func Traits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "watch", Renews: true, Token: true, Watched: true,
		Validity: "lease", LeastTTL: time.Second, Model: "fenced", FreeWithin: freeWithin,
		Clock: "the etcd leader's monotonic clock",
	}
}

// errTaken: the entry is not the first, and must leave the queue.
var errTaken = attempt.Taken()

// Acquire waits until every older key of the lock is gone.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, name, func(ctx context.Context, e *entry, p place) (err error) {
		for p.before != "" && err == nil {
			if err = e.await(ctx, p); err == nil {
				p, err = e.look(ctx)
			}
		}
		return err
	})
}

// TryAcquire takes its key back if there is an older one.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, name, func(_ context.Context, _ *entry, p place) error {
		if p.before != "" {
			return errTaken
		}
		return nil
	})
}

// take enters the queue and waits. A lease that has ended before that without the client's
// knowledge is replaced.
func (l *Lock) take(ctx context.Context, name string, wait func(context.Context, *entry, place) error) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		n, err := l.sessions.Open(ctx)
		if err != nil {
			// No key was asked for; a lease that nobody knows holds nothing.
			return nil, fmt.Errorf("%w: get a lease: %w", locks.ErrNotAcquired, err)
		}
		e := newEntry(n, name, l.owner())
		graced, cancel := l.graced(ctx)
		defer cancel()
		p, err := e.create(graced)
		if errors.Is(err, rpctypes.ErrLeaseNotFound) {
			continue
		}
		if err == nil {
			err = wait(ctx, e, p)
		}
		if err == nil && !n.Over() {
			return &lease{entry: e, lock: l}, nil
		}
		return nil, e.leave(graced, err)
	}
}

// leave takes an entry that did not become the first out of the queue, and says
// what is known of it.
func (e *entry) leave(ctx context.Context, err error) error {
	if e.created > 0 && !errors.Is(err, errGone) {
		if rerr := e.remove(ctx); rerr == nil || errors.Is(rerr, locks.ErrNotHeld) {
			err = fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
	}
	if errors.Is(err, locks.ErrNotAcquired) && !e.doubt {
		return err
	}
	if e.n.gone.Load() {
		return fmt.Errorf("%w: lease has ended: %w", locks.ErrNotAcquired, err)
	}
	e.n.stop()
	// Only the end of the lease is the end of a put that may come late.
	if _, rerr := e.n.server.revoke(ctx, e.n.id); rerr == nil {
		return fmt.Errorf("%w: gave the lease up: %w", locks.ErrNotAcquired, err)
	}
	return attempt.Unanswered(err)
}

// A lease is an entry that is the first of its queue.
type lease struct {
	entry *entry
	lock  *Lock

	released atomic.Bool
}

var (
	_ locks.Fenced  = (*lease)(nil)
	_ locks.Watched = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Token is the revision at which the key was created.
func (l *lease) Token() uint64 { return uint64(l.entry.created) }

// Lost is closed when etcd's lease is over, or may be.
func (l *lease) Lost() <-chan struct{} { return l.entry.n.alive.Done() }

// Owner is the value of the key.
func (l *lease) Owner() string { return l.entry.owner }

// Release deletes the key.
func (l *lease) Release(ctx context.Context) error {
	if l.released.Swap(true) || l.entry.n.Over() {
		return locks.ErrNotHeld
	}
	ctx, cancel := l.lock.graced(ctx)
	defer cancel()
	err := l.entry.remove(ctx)
	if l.entry.doubt || err != nil && !errors.Is(err, locks.ErrNotHeld) {
		l.entry.n.end() // the key must not outlive, or come after, its lease
	}
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
