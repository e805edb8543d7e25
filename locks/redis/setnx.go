package redis

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SetNX is SETNX to acquire and a plain DEL to release, with no expiry.
//
// Source: the pattern of the first years of Redis, still in many code bases; the
// SETNX command's page warns of it. Clock: none.
//
// It does not promise that the lock is ever free again when its holder dies, nor
// that a release leaves another's lease alone: the DEL deletes whatever is there,
// so that a lease that is released twice ends the next holder's. ErrNotHeld is
// told only if nothing was there.
type SetNX struct{ *server }

var (
	_ locks.Locker = (*SetNX)(nil)
	_ locks.Trier  = (*SetNX)(nil)
)

// NewSetNX returns a client; it connects when it is first used. The TTL is not used.
func NewSetNX(cfg Config) *SetNX { return &SetNX{newServer(cfg)} }

// SetNXTraits returns the lock's traits.
func SetNXTraits() locks.Traits {
	return locks.Traits{Wait: "spin", Model: "mutex", Clock: "none"}
}

// Acquire spins until the key could be set.
func (s *SetNX) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SETNX.
func (s *SetNX) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

func (s *SetNX) attempt(name string) (*setNXLease, attempt.Try) {
	l := &setNXLease{setnx: s, name: name, owner: s.owner()}
	return l, func(ctx context.Context) (bool, error) {
		n, err := s.rdb.Do(ctx, "SETNX", lockKey(name), l.owner).Int64()
		return n == 1, err
	}
}

// A setNXLease is the existence of the key.
type setNXLease struct {
	setnx *SetNX
	name  string
	owner string
}

var _ locks.Owned = (*setNXLease)(nil)

// Owner returns the value that the key had when it was set. Nothing compares it.
func (l *setNXLease) Owner() string { return l.owner }

// Release deletes the key, whosever it is.
func (l *setNXLease) Release(ctx context.Context) error { return l.setnx.drop(ctx, l.name) }
