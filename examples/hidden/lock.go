// Package hidden has locks on Redis, each with a bug that no test without faults shows, and each
// with a twin that is right. Its tests hold gotest against them.
package hidden

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/driver"
)

// A base is what all these locks have.
type base struct {
	servers []*redis.Client
	ttl     time.Duration
	right   bool // it is the twin
}

// rest is how long a waiter rests before it asks again.
const rest = 10 * time.Millisecond

func newBase(o driver.Open, change func(*redis.Options)) base {
	b := base{ttl: o.TTL, right: o.Options["right"] != ""}
	for _, addr := range o.Endpoints {
		on := &redis.Options{Addr: addr, Dialer: o.Dial, MaxRetries: -1}
		if change != nil {
			change(on)
		}
		b.servers = append(b.servers, redis.NewClient(on))
	}
	return b
}

func (b base) redis() *redis.Client { return b.servers[0] }

// Close drops the connections.
func (b base) Close() (err error) {
	for _, s := range b.servers {
		err = errors.Join(err, s.Close())
	}
	return err
}

// waits asks again and again until the lock was granted, or ctx ends. What fails is of unknown
// outcome: the request may have been carried out.
func waits(ctx context.Context, name string, try func() (locks.Lease, error)) (locks.Lease, error) {
	for {
		lease, err := try()
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", name, err)
		}
		if lease != nil {
			return lease, nil
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
	}
}

// set sets the key of a lock to a value, if it is not there.
func (b base) set(ctx context.Context, name, value string) (bool, error) {
	return b.redis().SetNX(context.WithoutCancel(ctx), name, value, b.ttl).Result()
}

var compareAndDelete = redis.NewScript(`if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`)

// delete deletes the key of a lock, if it has the value.
func (b base) delete(ctx context.Context, name, value string) error {
	return b.deleteOn(ctx, b.redis(), name, value)
}

func (b base) deleteOn(ctx context.Context, server *redis.Client, name, value string) error {
	n, err := compareAndDelete.Run(ctx, server, []string{name}, value).Int()
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w", name, err)
	case n == 0:
		return locks.ErrNotHeld
	}
	return nil
}

// A lease ends at a time, or when it is released.
type lease struct {
	until   time.Time
	release func(ctx context.Context) error
}

func (l *lease) Until() time.Time                  { return l.until }
func (l *lease) Release(ctx context.Context) error { return l.release(ctx) }

// kept is a lease of a value that is kept on the server.
func (b base) kept(name, value string, until time.Time) *lease {
	return &lease{until, func(ctx context.Context) error { return b.delete(ctx, name, value) }}
}

// traits returns the traits of a lock whose leases expire by themselves.
func traits() locks.Traits {
	return locks.Traits{Model: "timed-lease", LeastTTL: 50 * time.Millisecond, Bounded: true, Validity: "TTL"}
}

var _ locks.Bounded = (*lease)(nil)

func value() string { return rand.Text() }
