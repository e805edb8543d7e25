package redis

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SetDel is a Set whose release is a plain DEL.
//
// Source: the mistake against which the SET command's page warns, common
// wherever a lock is "SET key value NX EX ttl" and "DEL key". Clock: as Set.
//
// It does not promise that a release leaves another client's lease alone: a holder that overran its
// TTL deletes the next holder's key. Otherwise it promises the same as Set.
type SetDel struct{ *Set }

var (
	_ locks.Locker = (*SetDel)(nil)
	_ locks.Trier  = (*SetDel)(nil)
)

// NewSetDel returns a client; it connects when it is first used.
func NewSetDel(cfg Config) *SetDel { return &SetDel{NewSet(cfg)} }

// SetDelTraits returns the lock's traits.
func SetDelTraits() locks.Traits { return SetTraits() }

// Acquire spins until the key is set.
func (s *SetDel) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SET.
func (s *SetDel) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt takes the lock as Set does. Only the release differs.
func (s *SetDel) attempt(name string) (*setDelLease, attempt.Try) {
	l, t := s.Set.attempt(name)
	return &setDelLease{l}, t
}

// A setDelLease is a setLease whose release does not check the owner of the key.
type setDelLease struct{ *setLease }

// Release deletes the key, whoever owns it.
func (l *setDelLease) Release(ctx context.Context) error { return l.set.drop(ctx, l.Name) }
