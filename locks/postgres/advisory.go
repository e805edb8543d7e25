package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An Advisory is pg_advisory_lock and pg_advisory_unlock on a connection of the lease's own, which
// it keeps until the server confirms the release. Waiters wait in the server. The client that holds
// a lock may take it again.
//
// Source: the PostgreSQL manual, "Advisory Locks", at session level. Clock: none; a lease
// ends with its connection.
//
// It does not promise that the holder learns of the death of its connection: as people use it,
// nothing checks the connection while the lock is held. On a silent link the server keeps a dead
// holder's lock until its own timeouts. Names are hashed to 64 bits (FNV-1a): two locks with equal
// hashes are the same lock. The lock is not replicated, and has no token.
type Advisory struct {
	cfg   Config
	alive context.Context
	// stop ends all waits when the client is closed.
	stop context.CancelFunc

	mu   sync.Mutex
	held map[string]*session
	// resting is an idle session, or nil.
	resting *session
}

var (
	_ locks.Locker = (*Advisory)(nil)
	_ locks.Trier  = (*Advisory)(nil)
)

// NewAdvisory returns a client; it connects when it is first used.
func NewAdvisory(cfg Config) *Advisory {
	alive, stop := context.WithCancel(context.Background())
	return &Advisory{cfg: cfg.withDefaults(), alive: alive, stop: stop, held: map[string]*session{}}
}

// AdvisoryTraits returns the lock's traits.
func AdvisoryTraits() locks.Traits {
	return locks.Traits{
		Reentrant: true, Wait: "server", Validity: "connection", Model: "lease",
		Clock: "none: a lease ends with its connection",
		// The server notices at once that a connection is closed.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}

// key returns the server's key of a lock.
func key(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return int64(h.Sum64())
}

// Acquire waits in the server until the connection has the lock.
func (a *Advisory) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return a.acquire(ctx, name, "SELECT pg_advisory_lock($1) IS NOT NULL"+named)
}

// TryAcquire calls pg_try_advisory_lock, which does not wait.
func (a *Advisory) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return a.acquire(ctx, name, "SELECT pg_try_advisory_lock($1)"+named)
}

// unlockExclusive returns whether the session held the lock.
const unlockExclusive = "SELECT pg_advisory_unlock($1)"

// named sets the application name of the connection to the owner before it requests the lock.
const named = " FROM set_config('application_name', $2, false)"

// acquire enters the lock once more if the client holds it, and otherwise waits on a connection of
// its own.
func (a *Advisory) acquire(ctx context.Context, name, question string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	if l, err := a.reenter(ctx, name); l != nil || err != nil {
		return l, err
	}
	return a.take(ctx, &advisoryLease{lock: a, name: name, as: name, owner: attempt.Owner(a.cfg.Owner), unlock: unlockExclusive}, question)
}

// take acquires the lock of a lease on a connection of its own. A wait that the server ends by its
// own limit is repeated.
func (a *Advisory) take(ctx context.Context, l *advisoryLease, question string) (locks.Lease, error) {
	x, err := a.pin(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x.owner, x.depth = l.owner, 1
	for {
		var got bool
		err := x.ask(ctx, &got, question, key(l.name), x.owner)
		if err == nil && got {
			break
		}
		if is(err, lockNotAvailable) && ctx.Err() == nil {
			continue // the server's limit for one wait is over
		}
		if err == nil {
			a.rest(x) // the request was refused, so the connection holds nothing
			return nil, attempt.Refused(ctx, errors.New("held by another"))
		}
		x.close()
		if answered(err) {
			return nil, attempt.Refused(ctx, err)
		}
		return nil, attempt.Unanswered(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.alive.Err() != nil { // the client was closed in the meantime
		x.close()
		return nil, attempt.Refused(ctx, a.alive.Err())
	}
	l.session, a.held[l.as] = x, x
	return l, nil
}

// reenter takes the lock once more on the connection that has it. It returns nil if this
// client does not hold the lock.
func (a *Advisory) reenter(ctx context.Context, name string) (locks.Lease, error) {
	a.mu.Lock()
	x := a.held[name]
	if x != nil {
		x.depth++
	}
	a.mu.Unlock()
	if x == nil {
		return nil, nil
	}
	var got bool
	err := x.answer(ctx, &got, "SELECT pg_try_advisory_lock($1)", key(name))
	if err == nil && got {
		return &advisoryLease{lock: a, name: name, as: name, session: x, owner: x.owner, unlock: unlockExclusive}, nil
	}
	a.leave(name, x, true, false) // the state of the connection is unknown
	if err == nil {
		err = errors.New("the connection that holds it is refused")
	}
	return nil, fmt.Errorf("take the lock once more: %w", err)
}

// leave forgets one hold, or all of them. After the last one it keeps the connection for reuse if
// it is clean, and closes it otherwise.
func (a *Advisory) leave(name string, x *session, all, clean bool) {
	a.mu.Lock()
	if x.depth--; x.depth > 0 && !all {
		a.mu.Unlock()
		return
	}
	if a.held[name] == x {
		delete(a.held, name)
	}
	a.mu.Unlock()
	if clean {
		a.rest(x)
		return
	}
	x.close()
}

// Close drops all connections, including those that hold a lock.
func (a *Advisory) Close() error {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.held {
		x.close()
	}
	if a.resting != nil {
		a.resting.close()
	}
	return nil
}

// An advisoryLease is one hold of an advisory lock.
type advisoryLease struct {
	lock *Advisory
	name string
	// as is the key of the connection in Advisory.held.
	as      string
	session *session
	owner   string
	// unlock is the statement that releases the lock.
	unlock string
	over   atomic.Bool
}

var _ locks.Owned = (*advisoryLease)(nil)

// Owner returns the application name of the connection.
func (l *advisoryLease) Owner() string { return l.owner }

// Release gives one hold back. Unless the server confirms that the lock is free, the connection is
// closed, which ends the lease in any case.
func (l *advisoryLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	if err := l.session.look(); err != nil {
		l.lock.leave(l.as, l.session, true, false)
		return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	}
	var was bool
	err := l.session.answer(ctx, &was, l.unlock, key(l.name))
	l.lock.leave(l.as, l.session, err != nil, err == nil && was)
	switch {
	case err == nil && was:
		return nil
	case err == nil:
		return locks.ErrNotHeld
	case is(err, adminShutdown, crashShutdown):
		return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	}
	return fmt.Errorf("release: %w", err)
}
