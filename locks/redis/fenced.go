package redis

import (
	"context"
	_ "embed"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

//go:embed acquire_fenced.lua
var acquireFencedSource string

// A Fenced is a Set whose grants carry a token: an INCR in the script that takes the lock.
//
// Source: Martin Kleppmann, "How to do distributed locking" (2016), on a
// single Redis. Clock: as Set.
//
// Otherwise it promises the same as Set. The counter lives in the same Redis, so tokens may repeat or
// fall back after a fail-over to a replica that lags, or after a restart without persistence.
type Fenced struct {
	*Set
	acquire *goredis.Script
}

var (
	_ locks.Locker = (*Fenced)(nil)
	_ locks.Trier  = (*Fenced)(nil)
)

// NewFenced returns a client; it connects when it is first used.
func NewFenced(cfg Config) *Fenced {
	return &Fenced{Set: NewSet(cfg), acquire: goredis.NewScript(acquireFencedSource)}
}

// FencedTraits returns the lock's traits.
func FencedTraits() locks.Traits {
	t := SetTraits()
	t.Token, t.Model = true, "fenced"
	return t
}

// Acquire spins until the script takes the lock.
func (f *Fenced) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, f.terms, f.attempt, name)
}

// TryAcquire runs the script once.
func (f *Fenced) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, f.terms, f.attempt, name)
}

// attempt returns a lease and the function that tries once to take it. The script increases the
// token in the same step, so tokens grow with the grants.
func (f *Fenced) attempt(name string) (*fencedLease, attempt.Try) {
	l := &fencedLease{setLease: setLease{set: f.Set, Grant: attempt.Grant{Name: name, Value: f.owner()}}}
	return l, func(ctx context.Context) (bool, error) {
		start := f.cfg.Clock.Now()
		keys := []string{lockKey(name), tokenKey(name)}
		n, err := f.acquire.Run(ctx, f.rdb, keys, l.Value, f.cfg.TTL.Milliseconds()).Uint64()
		if err != nil || n == 0 {
			return false, err
		}
		l.End, l.token = start.Add(f.cfg.TTL), n
		return true, nil
	}
}

// A fencedLease is a setLease with a token.
type fencedLease struct {
	setLease
	token uint64
}

var (
	_ locks.Fenced  = (*fencedLease)(nil)
	_ locks.Bounded = (*fencedLease)(nil)
)

// Token returns the value of the counter at the grant, from 1.
func (l *fencedLease) Token() uint64 { return l.token }
