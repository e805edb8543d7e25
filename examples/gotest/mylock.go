// Package mylock stands for a lock of yours: SET NX PX on one Redis, and a
// release that compares and deletes.
package mylock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A Lock is one client of it.
type Lock struct {
	Redis *redis.Client
	TTL   time.Duration
}

// A Lease is a lock that is held.
type Lease struct {
	lock        *Lock
	name, value string
}

// Acquire waits for the lock until ctx ends.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	value := rand.Text()
	for {
		// The request is not cut off with ctx: its answer says whether the lock was taken.
		ok, err := l.Redis.SetNX(context.WithoutCancel(ctx), name, value, l.TTL).Result()
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", name, err) // it may have been taken
		}
		if ok {
			return &Lease{l, name, value}, nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
	}
}

// Close drops the connections.
func (l *Lock) Close() error { return l.Redis.Close() }

var compareAndDelete = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

// Release gives the lock back.
func (l *Lease) Release(ctx context.Context) error {
	n, err := compareAndDelete.Run(ctx, l.lock.Redis, []string{l.name}, l.value).Int()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("release %s: %w", l.name, err)
	}
	if n == 0 {
		return locks.ErrNotHeld
	}
	return nil
}
