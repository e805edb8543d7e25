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

// A Lock is a queue of keys: the oldest key holds the lock. Every other client watches the key
// before its own, and reads the queue again when that key is gone. All keys of a client belong to
// one lease, which is kept alive.
//
// Source: etcd's documentation and its package concurrency, with one key per call and one round
// trip less if there are waiters. Clock: the etcd leader's monotonic clock ends the lease; the
// client's own clock reports the loss.
//
// It does not promise that a holder that is paused or cut off stops before its lease is over. A
// call whose outcome is in doubt ends the lease, and with it all locks that the client holds
// (Lost is closed for each).
type Lock struct{ *client }

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client, which requests its lease with the first acquire.
func New(cfg Config) (*Lock, error) {
	s, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	return &Lock{s}, nil
}

// Traits returns the lock's traits.
func Traits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "watch", Renews: true, Token: true, Watched: true,
		Validity: "lease", LeastTTL: time.Second, Model: "fenced", FreeWithin: freeWithin,
		Clock: "the etcd leader's monotonic clock",
	}
}

// errTaken is the refusal of an entry that is not the first and must leave the queue.
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

// TryAcquire puts its key, and deletes it again if there is an older one.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, name, func(_ context.Context, _ *entry, p place) error {
		if p.before != "" {
			return errTaken
		}
		return nil
	})
}

// take enters the queue and waits. If the client's lease expired before that and the client did
// not notice, take starts again with a new lease.
func (l *Lock) take(ctx context.Context, name string, wait func(context.Context, *entry, place) error) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		n, err := l.sessions.Open(ctx)
		if err != nil {
			// No key was requested yet, and a lease that the client never received holds
			// nothing.
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

// leave removes an entry that did not reach the head, and returns the error of the call. If
// the removal is not certain, leave revokes the whole lease, because a put that arrives later
// is harmless only once the lease is over.
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
	// A put that may come late is harmless only once the lease is over.
	if _, _, rerr := e.n.server.revoke(ctx, e.n.id); rerr == nil {
		return fmt.Errorf("%w: gave the lease up: %w", locks.ErrNotAcquired, err)
	}
	return attempt.Unanswered(err)
}

// A lease is an entry at the head of its queue.
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

// Token returns the revision at which the key was created.
func (l *lease) Token() uint64 { return uint64(l.entry.created) }

// Lost returns a channel that is closed when etcd's lease is over, or may be.
func (l *lease) Lost() <-chan struct{} { return l.entry.n.alive.Done() }

// Owner returns the value of the key.
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
		l.entry.n.end() // the key must not outlive its lease, or appear after it
	}
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
