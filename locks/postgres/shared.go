package postgres

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Shared is a read–write lock: pg_advisory_lock for writers and pg_advisory_lock_shared for
// readers, each on a connection of the lease's own, which it keeps until the server confirms the
// release. Waiters wait in the server.
//
// Source: the PostgreSQL manual, "Advisory Locks", at session level. Clock: none; a lease
// ends with its connection.
//
// Its promises are no stronger than those of Advisory. It does not promise any order between
// readers and a waiting writer, and is not reentrant: a writer that asks to read waits for itself.
type Shared struct{ *Advisory }

var (
	_ locks.Locker = Shared{}
	_ locks.Trier  = Shared{}
	_ locks.Sharer = Shared{}
)

// NewShared returns a client; it connects when it is first used.
func NewShared(cfg Config) Shared { return Shared{NewAdvisory(cfg)} }

// SharedTraits returns the lock's traits.
func SharedTraits() locks.Traits {
	t := AdvisoryTraits()
	t.Kind, t.Reentrant, t.Model = locks.ReadWrite, false, "timed-rwlock"
	t.LeastTTL = time.Nanosecond // any TTL works: a lease ends by itself, with its connection
	return t
}

// Acquire waits in the server until there is neither a reader nor a writer.
func (s Shared) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return s.grant(ctx, name, "SELECT pg_advisory_lock($1) IS NOT NULL", unlockExclusive)
}

// TryAcquire asks for the writer's lock without waiting.
func (s Shared) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return s.grant(ctx, name, "SELECT pg_try_advisory_lock($1)", unlockExclusive)
}

// AcquireShared waits in the server until there is no writer.
func (s Shared) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return s.grant(ctx, name, "SELECT pg_advisory_lock_shared($1) IS NOT NULL", "SELECT pg_advisory_unlock_shared($1)")
}

// grant acquires the lock on a connection of its own, so that a client may have several leases of
// one name.
func (s Shared) grant(ctx context.Context, name, question, unlock string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	owner := attempt.Owner(s.cfg.Owner)
	return s.take(ctx, &advisoryLease{lock: s.Advisory, name: name, as: owner, owner: owner, unlock: unlock}, question+named)
}
