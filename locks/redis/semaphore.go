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

// A Semaphore is a number: the permits that are left. Waiters are woken by a message that each
// release publishes, and ask every TTL in case that they missed it.
//
// Algorithm and source: Redisson's RedissonSemaphore. Clock: none.
//
// A permit has no owner and no end. Those of a client that died, or of a request that was not
// answered, are gone for ever, and a release that is sent twice makes one more than there
// were. A lease here sends its release once.
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

// AcquirePermits waits until so many permits are left.
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

// A semaphoreLease is so many permits.
type semaphoreLease struct {
	semaphore *Semaphore
	name      string
	permits   int
	over      atomic.Bool // a release was sent
}

// Release gives the permits back. A second release is answered by ErrNotHeld: the server could
// not tell it from another's.
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

// giveBack adds permits, and wakes who waits for some.
func giveBack(ctx context.Context, rdb goredis.UniversalClient, name string, permits int) error {
	_, err := rdb.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.IncrBy(ctx, lockKey(name), int64(permits))
		p.Publish(ctx, releasedChannel(name), "")
		return nil
	})
	return err
}
