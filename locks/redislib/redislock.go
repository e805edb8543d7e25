package redislib

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A Redislock is github.com/bsm/redislock on one Redis, with a linear backoff of 5 ms
// and a token of its own for each call.
//
// Algorithm: SET NX PX in a script that also gives the lock to who comes with the
// value that it has; compare-and-delete in a script. Source: the library. Clock: the
// server's wall clock ends the lease. The validity that is recorded is what
// Lock.TTL answers at once after the grant, counted from before the question.
//
// It does not promise what the lock of the Redis manual does not: that a holder
// stops when its TTL is over, or that a lease survives a fail-over. It does not
// renew by itself, and this version has no token that grows.
type Redislock struct {
	cfg    Config
	rdb    *goredis.Client
	client *redislock.Client
}

var (
	_ locks.Locker = (*Redislock)(nil)
	_ locks.Trier  = (*Redislock)(nil)
)

// redislockBackoff is the pause between two tries.
const redislockBackoff = 5 * time.Millisecond

// RedislockTraits returns the lock's traits.
func RedislockTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Validity: "TTL",
		LeastTTL: 50 * time.Millisecond, Model: "timed-lease",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + redislockBackoff },
		Clock:      "the Redis server's wall clock",
	}
}

// NewRedislock returns a client; it connects when it is first used.
func NewRedislock(cfg Config) *Redislock {
	cfg = cfg.WithDefaults(time.Second)
	rdb := cfg.Client(cfg.Addrs[0])
	return &Redislock{cfg: cfg, rdb: rdb, client: redislock.New(rdb)}
}

// Acquire calls Obtain with a backoff.
func (r *Redislock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.obtain(ctx, name, redislock.LinearBackoff(redislockBackoff))
}

// TryAcquire calls Obtain without one.
func (r *Redislock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.obtain(ctx, name, redislock.NoRetry())
}

func (r *Redislock) obtain(ctx context.Context, name string, retry redislock.RetryStrategy) (locks.Lease, error) {
	token, err := r.cfg.Value()
	if err != nil {
		return nil, err
	}
	ctx, d := InDoubt(ctx)
	l, err := r.client.Obtain(ctx, locks.Key("lock:", name), r.cfg.TTL, &redislock.Options{RetryStrategy: retry, Token: token})
	if err != nil {
		return nil, d.Failure(err)
	}
	asked := time.Now()
	left, err := l.TTL(context.WithoutCancel(ctx))
	if err != nil {
		left = 0 // it does not say that the lease is valid
	}
	return &redislockLease{lock: l, until: asked.Add(left)}, nil
}

// Close drops the connections.
func (r *Redislock) Close() error { return r.rdb.Close() }

// A redislockLease is a Lock of the library.
type redislockLease struct {
	lock  *redislock.Lock
	until time.Time
}

var (
	_ locks.Bounded = (*redislockLease)(nil)
	_ locks.Owned   = (*redislockLease)(nil)
)

// Until returns what Lock.TTL said after the grant.
func (l *redislockLease) Until() time.Time { return l.until }

// Owner returns the token.
func (l *redislockLease) Owner() string { return l.lock.Token() }

// Release calls the library's.
func (l *redislockLease) Release(ctx context.Context) error {
	err := l.lock.Release(ctx)
	switch {
	case errors.Is(err, redislock.ErrLockNotHeld):
		return locks.ErrNotHeld
	case err != nil:
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
