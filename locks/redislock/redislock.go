// Package redislock is the adapter to github.com/bsm/redislock.
package redislock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// A Lock is github.com/bsm/redislock on one Redis, with a linear backoff of 5 ms and a new token
// for each call.
//
// Algorithm: SET NX PX in a script that also grants the lock to a request with its present value;
// compare-and-delete in a script. Source: the library. Clock: the server's wall clock ends the
// lease. The recorded validity is the answer of Lock.TTL directly after the grant, counted from
// before the question.
//
// Its promises are no stronger than those of the lock in the Redis manual: a holder need not stop
// when its TTL is over, and a lease may not survive a fail-over. It does not renew by itself, and
// this version has no growing token.
type Lock struct {
	cfg    redislib.Config
	rdb    *goredis.Client
	client *redislock.Client
}

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg redislib.Config) *Lock {
	cfg = cfg.WithDefaults(time.Second)
	rdb := cfg.Client(cfg.Addrs[0])
	return &Lock{cfg: cfg, rdb: rdb, client: redislock.New(rdb)}
}

// Acquire calls Obtain with a backoff.
func (r *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.obtain(ctx, name, redislock.LinearBackoff(redislib.RedislockBackoff))
}

// TryAcquire calls Obtain without a backoff.
func (r *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.obtain(ctx, name, redislock.NoRetry())
}

// obtain takes the lock with a strategy of retries. An unanswered request makes its outcome
// unknown.
func (r *Lock) obtain(ctx context.Context, name string, retry redislock.RetryStrategy) (locks.Lease, error) {
	token, err := r.cfg.Value()
	if err != nil {
		return nil, err
	}
	ctx, d := redislib.InDoubt(ctx)
	l, err := r.client.Obtain(ctx, locks.Key("lock:", name), r.cfg.TTL, &redislock.Options{RetryStrategy: retry, Token: token})
	if err != nil {
		return nil, d.Failure(err)
	}
	asked := time.Now()
	left, err := l.TTL(context.WithoutCancel(ctx))
	if err != nil {
		left = 0 // an unanswered question does not prove a validity
	}
	return &lease{lock: l, until: asked.Add(left)}, nil
}

// Close drops the connections.
func (r *Lock) Close() error { return r.rdb.Close() }

// A lease wraps a Lock of the library.
type lease struct {
	lock  *redislock.Lock
	until time.Time
}

var (
	_ locks.Bounded = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Until returns the end of the validity from the answer of Lock.TTL after the grant.
func (l *lease) Until() time.Time { return l.until }

// Owner returns the token.
func (l *lease) Owner() string { return l.lock.Token() }

// Release calls the library's Release.
func (l *lease) Release(ctx context.Context) error {
	err := l.lock.Release(ctx)
	switch {
	case errors.Is(err, redislock.ErrLockNotHeld):
		return locks.ErrNotHeld
	case err != nil:
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
