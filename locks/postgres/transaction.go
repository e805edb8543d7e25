package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Xact is pg_advisory_xact_lock in a transaction that stays open while the lock is held, on a
// connection of the lease's own. Waiters wait in the server. An advisory lock must have this form
// behind a pooler in transaction mode, which assigns a connection to a client only for the length
// of a transaction.
//
// Source: the PostgreSQL manual, "Advisory Locks", at transaction level. Clock: none; a lease
// ends with its connection.
//
// Its promises are no stronger than those of Advisory, and it is not reentrant: each lease has a
// connection of its own. The open transaction keeps VACUUM from removing newer dead rows.
type Xact struct{ *Advisory }

var (
	_ locks.Locker = Xact{}
	_ locks.Trier  = Xact{}
)

// NewXact returns a client; it connects when it is first used.
func NewXact(cfg Config) Xact { return Xact{NewAdvisory(cfg)} }

// XactTraits returns the lock's traits.
func XactTraits() locks.Traits {
	t := AdvisoryTraits()
	t.Reentrant = false
	return t
}

// namedHere sets the application name of the connection to the owner until the end of the
// transaction.
const namedHere = " FROM set_config('application_name', $2, true)"

// Acquire waits in the server until the transaction has the lock.
func (x Xact) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return x.open(ctx, "SELECT pg_advisory_xact_lock($1) IS NOT NULL"+namedHere, key(name))
}

// TryAcquire calls pg_try_advisory_xact_lock, which does not wait.
func (x Xact) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return x.open(ctx, "SELECT pg_try_advisory_xact_lock($1)"+namedHere, key(name))
}

// open begins a transaction, in which it asks for the lock. The end of the transaction releases it.
func (x Xact) open(ctx context.Context, question string, key int64) (locks.Lease, error) {
	owner := attempt.Owner(x.cfg.Owner)
	s, err := x.begun(ctx, owner, question, key, owner)
	if err != nil {
		return nil, err
	}
	return &xactLease{lock: x.Advisory, session: s, owner: owner}, nil
}

// errTaken is the reason of a refusal without an error.
var errTaken = errors.New("held by another")

// begun requests a lock in a transaction, and returns its session once the lock was granted. The
// session is kept under the owner.
func (a *Advisory) begun(ctx context.Context, owner, question string, args ...any) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x, err := a.pin(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x.owner, x.depth = owner, 1
	for {
		if err := x.exec(ctx, "BEGIN"); err != nil {
			x.close()
			return nil, attempt.Refused(ctx, err) // no lock was requested yet
		}
		var got bool
		err := x.ask(ctx, &got, question, args...)
		if err == nil && got {
			return x, a.keep(x)
		}
		again := is(err, lockNotAvailable) && ctx.Err() == nil // the server's limit for one wait is over
		if err != nil && !again || x.exec(ctx, "ROLLBACK") != nil {
			x.close()
		} else if !again {
			a.rest(x)
		}
		switch {
		case again:
		case err == nil:
			return nil, attempt.Refused(ctx, errTaken)
		case answered(err):
			return nil, attempt.Refused(ctx, err)
		default:
			return nil, attempt.Unanswered(err)
		}
	}
}

// keep registers a session that holds a lock, so that it is closed with the client.
func (a *Advisory) keep(x *session) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.alive.Err(); err != nil { // the client was closed in the meantime
		x.close()
		return attempt.Refused(a.alive, err)
	}
	a.held[x.owner] = x
	return nil
}

// A xactLease is an open transaction.
type xactLease struct {
	lock    *Advisory
	session *session
	owner   string
	over    atomic.Bool
}

var _ locks.Owned = (*xactLease)(nil)

// Owner returns the application name of the connection.
func (l *xactLease) Owner() string { return l.owner }

// Release commits the transaction. Unless the server confirms it, the connection is closed, which
// ends the lease in any case.
func (l *xactLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	err := l.session.look()
	if err != nil {
		err = fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	} else if err = l.session.exec(ctx, "COMMIT"); is(err, adminShutdown, crashShutdown) {
		err = fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	} else if err != nil {
		err = fmt.Errorf("release: %w", err)
	}
	l.lock.leave(l.owner, l.session, err != nil, err == nil)
	return err
}
