package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SetGetDel is a Set whose release gets the value, compares it in the client, and
// then deletes the key, as separate commands.
//
// Source: the usual repair of a plain DEL by those who do not know of scripts.
// Clock: as Set.
//
// It does not promise that a release leaves another's lease alone: the key may
// expire and become another's between the GET and the DEL. Nor what Set does not.
type SetGetDel struct{ *Set }

var (
	_ locks.Locker = (*SetGetDel)(nil)
	_ locks.Trier  = (*SetGetDel)(nil)
)

// NewSetGetDel returns a client; it connects when it is first used.
func NewSetGetDel(cfg Config) *SetGetDel { return &SetGetDel{NewSet(cfg)} }

// SetGetDelTraits returns the lock's traits.
func SetGetDelTraits() locks.Traits { return SetTraits() }

// Acquire spins until the key could be set.
func (s *SetGetDel) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SET.
func (s *SetGetDel) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

func (s *SetGetDel) attempt(name string) (*setGetDelLease, attempt.Try) {
	l, t := s.Set.attempt(name)
	return &setGetDelLease{l}, t
}

// A setGetDelLease is a setLease that looks whose the key is before it deletes it.
type setGetDelLease struct{ *setLease }

// Release deletes the key if it had this owner's value a moment ago.
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
