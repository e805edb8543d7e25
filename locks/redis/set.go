package redis

import (
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A Set is the lock of the Redis manual: SET NX PX with a random value, and a release that compares
// and deletes in one script. Waiters spin.
//
// Source: redis.io, "Distributed locks with Redis", the single-instance lock, and the SET command's
// page. Clock: the server's wall clock ends the lease; the client computes its validity as the
// start of the request plus the TTL.
//
// It does not promise that a holder stops when its TTL is over (a paused process, a delayed write),
// nor that a lease survives a fail-over or a restart, nor any order among waiters. It has no token.
type Set struct {
	*server
	release *goredis.Script
}

var (
	_ locks.Locker = (*Set)(nil)
	_ locks.Trier  = (*Set)(nil)
)

// NewSet returns a client; it connects when it is first used.
func NewSet(cfg Config) *Set { return setOf(newServer(cfg)) }

func setOf(s *server) *Set { return &Set{server: s, release: redisconn.ReleaseScript()} }

// SetTraits returns the lock's traits.
func SetTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Validity: "TTL",
		LeastTTL: 50 * time.Millisecond, Model: "timed-lease", FreeWithin: afterTTL,
		Clock: "the Redis server's wall clock",
	}
}

// Acquire spins until the key is set.
func (s *Set) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SET.
func (s *Set) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt returns the lease that will be granted and the request that grants it.
func (s *Set) attempt(name string) (*setLease, attempt.Try) {
	l := &setLease{set: s, Grant: attempt.Grant{Name: name, Value: s.owner()}}
	return l, func(ctx context.Context) (bool, error) {
		start := s.cfg.Clock.Now()
		granted, err := setNX(ctx, s.rdb, name, l.Value, s.cfg.TTL)
		l.End = start.Add(s.cfg.TTL)
		return granted, err
	}
}

// A doer sends a command.
type doer interface {
	Process(ctx context.Context, cmd goredis.Cmder) error
}

// setNX sends one SET NX PX.
func setNX(ctx context.Context, c doer, name, owner string, ttl time.Duration) (bool, error) {
	err := c.Process(ctx, goredis.NewCmd(ctx, "SET", lockKey(name), owner, "NX", "PX", ttl.Milliseconds()))
	if errors.Is(err, goredis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// A setLease is the key with this owner's value. Its validity ends one TTL after the start of
// the granted request: never later than the key's own end, as long as both clocks run at the
// same rate.
type setLease struct {
	attempt.Grant
	set *Set
}

var (
	_ locks.Bounded = (*setLease)(nil)
	_ locks.Owned   = (*setLease)(nil)
)

// Release deletes the key if it still has this owner's value.
func (l *setLease) Release(ctx context.Context) error {
	return l.set.change(ctx, "release", l.set.release, l.Name, l.Value)
}
