package mylock

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A FencedLock is a Lock whose leases say until when they are valid, and have a token that
// grows from grant to grant: what it protects can refuse a holder that comes too late.
type FencedLock struct{ Lock }

// A FencedLease is one that is held.
type FencedLease struct {
	Lease
	token uint64
	until time.Time
}

// Until is how long its holder may believe in it: the TTL, counted from before the request.
func (l *FencedLease) Until() time.Time { return l.until }

// Token is what the store is to be given with each operation.
func (l *FencedLease) Token() uint64 { return l.token }

var setAndCount = redis.NewScript(`if redis.call("set", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("incr", KEYS[2]) end return 0`)

// Acquire waits for the lock until ctx ends.
func (l *FencedLock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	value := rand.Text()
	for {
		start := time.Now()
		token, err := setAndCount.Run(context.WithoutCancel(ctx), l.Redis, []string{name, name + ":token"}, value, l.TTL.Milliseconds()).Uint64()
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", name, err) // it may have been taken
		}
		if token > 0 {
			return &FencedLease{Lease{&l.Lock, name, value}, token, start.Add(l.TTL)}, nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
	}
}
