package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SetGetDel is a Set whose release gets the value, compares it in the client, and then deletes
// the key, in separate commands.
//
// Source: the usual repair of a plain DEL without a script. Clock: as Set.
//
// It does not promise that a release leaves another client's lease alone: the key may expire and be
// acquired by another client between the GET and the DEL. Otherwise it promises the same as Set.
type SetGetDel struct{ *Set }

var (
	_ locks.Locker = (*SetGetDel)(nil)
	_ locks.Trier  = (*SetGetDel)(nil)
)

// NewSetGetDel returns a client; it connects when it is first used.
func NewSetGetDel(cfg Config) *SetGetDel { return &SetGetDel{NewSet(cfg)} }

// SetGetDelTraits returns the lock's traits.
func SetGetDelTraits() locks.Traits { return SetTraits() }

// Acquire spins until the key is set.
func (s *SetGetDel) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SET.
func (s *SetGetDel) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt takes the lock as Set does. Only the release differs.
func (s *SetGetDel) attempt(name string) (*setGetDelLease, attempt.Try) {
	l, t := s.Set.attempt(name)
	return &setGetDelLease{l}, t
}

// A setGetDelLease is a setLease whose release checks the owner of the key before it deletes it.
type setGetDelLease struct{ *setLease }

// Release deletes the key if it had this owner's value when it was read.
func (l *setGetDelLease) Release(ctx context.Context) error {
	rctx, cancel := l.set.terms.Request(ctx)
	defer cancel()
	value, err := l.set.rdb.Get(rctx, lockKey(l.Name)).Result()
	switch {
	case errors.Is(err, goredis.Nil), err == nil && value != l.Value:
		return locks.ErrNotHeld
	case err != nil:
		return fmt.Errorf("release: look at the owner: %w", err)
	}
	return l.set.drop(ctx, l.Name)
}
