package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An AdvisoryPooled is broken on purpose: it calls pg_advisory_lock and pg_advisory_unlock
// through a pool of two connections that are used in turn, as PgBouncer does in transaction
// mode.
//
// Source: the PostgreSQL manual, "Advisory Locks", at session level, behind a pool. Clock:
// none.
//
// It does not promise that a release releases: on the connection that does not hold the lock,
// pg_advisory_unlock answers false, and the lock stays for as long as the pool keeps the other
// connection. Nor does it exclude within one client: a caller that gets the same connection
// re-enters.
type AdvisoryPooled struct {
	*Advisory

	turn sync.Mutex
	pool [2]*session
	next int
}

var (
	_ locks.Locker = (*AdvisoryPooled)(nil)
	_ locks.Trier  = (*AdvisoryPooled)(nil)
)

// NewAdvisoryPooled returns a client; it connects when it is first used.
func NewAdvisoryPooled(cfg Config) *AdvisoryPooled {
	return &AdvisoryPooled{Advisory: NewAdvisory(cfg)}
}

// Acquire waits in the server until the connection whose turn it is has the lock.
func (a *AdvisoryPooled) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return a.acquire(ctx, name, "SELECT pg_advisory_lock($1) IS NOT NULL"+named)
}

// TryAcquire calls pg_try_advisory_lock, which does not wait.
func (a *AdvisoryPooled) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return a.acquire(ctx, name, "SELECT pg_try_advisory_lock($1)"+named)
}

// acquire takes a connection from the pool and asks for the lock on it.
func (a *AdvisoryPooled) acquire(ctx context.Context, name, question string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x, err := a.inTurn(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	owner := attempt.Owner(a.cfg.Owner)
	for {
		var got bool
		err := x.ask(ctx, &got, question, key(name), owner)
		switch {
		case err == nil && got:
			return &pooledLease{lock: a, name: name, owner: owner}, nil
		case err == nil:
			return nil, attempt.Refused(ctx, errors.New("held by another"))
		case is(err, lockNotAvailable) && ctx.Err() == nil:
			continue // the server's limit for one wait is over
		case answered(err):
			return nil, attempt.Refused(ctx, err)
		}
		return nil, attempt.Unanswered(err)
	}
}

// inTurn returns the connection whose turn it is.
func (a *AdvisoryPooled) inTurn(ctx context.Context) (*session, error) {
	a.turn.Lock()
	defer a.turn.Unlock()
	i := a.next
	a.next = (i + 1) % len(a.pool)
	var err error
	if a.pool[i] == nil {
		a.pool[i], err = a.pin(ctx) // no session ever rests, so it is a new one
	}
	return a.pool[i], err
}

// Close drops all connections.
func (a *AdvisoryPooled) Close() error {
	a.stop()
	a.turn.Lock()
	defer a.turn.Unlock()
	for _, x := range a.pool {
		if x != nil {
			x.close()
		}
	}
	return nil
}

// A pooledLease is an advisory lock of one connection in the pool.
type pooledLease struct {
	lock        *AdvisoryPooled
	name, owner string
}

var _ locks.Owned = (*pooledLease)(nil)

// Owner returns the application name of the connection that took the lock.
func (l *pooledLease) Owner() string { return l.owner }

// Release releases the lock on the connection whose turn it is, which may be the wrong one.
func (l *pooledLease) Release(ctx context.Context) error {
	x, err := l.lock.inTurn(ctx)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	var was bool
	if err := x.answer(ctx, &was, "SELECT pg_advisory_unlock($1)", key(l.name)); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if !was {
		return fmt.Errorf("%w: the connection in turn does not hold it", locks.ErrNotHeld)
	}
	return nil
}
