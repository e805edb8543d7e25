package redis

import (
	"context"
	_ "embed"
	"fmt"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

//go:embed acquire_semaphore.lua
var acquireSemaphoreSource string

// A Semaphore is a number of free permits. Waiters are woken by a message that each release
// publishes, and ask every TTL in case they missed it.
//
// Algorithm and source: Redisson's RedissonSemaphore. Clock: none.
//
// A permit has no owner and no expiry. The permits of a client that died, or of a request that was
// not answered, are lost forever. A release that is sent twice creates a permit; a lease here
// sends its release once.
type Semaphore struct {
	locks.NotExclusive
	server *server
	take   *goredis.Script
}

var (
	_ locks.Locker    = (*Semaphore)(nil)
	_ locks.Permitter = (*Semaphore)(nil)
)

// NewSemaphore returns a client; it connects when it is first used.
func NewSemaphore(cfg Config) *Semaphore {
	return &Semaphore{server: newServer(cfg), take: goredis.NewScript(acquireSemaphoreSource)}
}

// SemaphoreTraits returns the semaphore's traits.
func SemaphoreTraits() locks.Traits {
	return locks.Traits{Kind: locks.Semaphore, Wait: "pub/sub", Model: "timed-semaphore", Clock: "none"}
}

// AcquirePermits waits until n permits are free.
func (s *Semaphore) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	left := s.server.cfg.TTL
	try := func(ctx context.Context) (bool, error) {
		taken, err := s.take.Run(ctx, s.server.rdb, []string{lockKey(name)}, n, capacity).Int64()
		return taken == 1, err
	}
	if err := s.server.orWaitWoken(ctx, releasedChannel(name), try, &left); err != nil {
		return nil, err
	}
	return &semaphoreLease{semaphore: s, name: name, permits: n}, nil
}

// Close drops the connections.
func (s *Semaphore) Close() error { return s.server.Close() }

// A semaphoreLease holds a number of permits.
type semaphoreLease struct {
	semaphore *Semaphore
	name      string
	permits   int
	// over is set once a release was sent, because a repeated one could free the lock of a later
	// holder.
	over atomic.Bool
}

// Release returns the permits. A second release returns ErrNotHeld without a request, because the
// server could not distinguish it from another client's.
func (l *semaphoreLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	s := l.semaphore.server
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	if err := giveBack(rctx, s.rdb, l.name, l.permits); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// giveBack adds permits and wakes the waiters.
func giveBack(ctx context.Context, rdb goredis.UniversalClient, name string, permits int) error {
	_, err := rdb.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.IncrBy(ctx, lockKey(name), int64(permits))
		p.Publish(ctx, releasedChannel(name), "")
		return nil
	})
	return err
}
