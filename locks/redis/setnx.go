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
// It does not promise that the lock ever becomes free if its holder dies, nor that a release leaves
// another client's lease alone: the DEL deletes any key, so a second release ends the next holder's
// lease. It returns ErrNotHeld only if there was no key.
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

// Acquire spins until the key is set.
func (s *SetNX) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SETNX.
func (s *SetNX) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt returns a lease and the function that tries once to take it. The key gets no expiry.
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

// Owner returns the value of the key at the grant. Nothing compares it.
func (l *setNXLease) Owner() string { return l.owner }

// Release deletes the key, whoever owns it.
func (l *setNXLease) Release(ctx context.Context) error { return l.setnx.drop(ctx, l.name) }
