package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-co-op/gocron-redis-lock/v2"
	"github.com/go-co-op/gocron/v2"
	"github.com/go-redsync/redsync/v4"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// A Gocron is the Locker of github.com/go-co-op/gocron-redis-lock, by which schedulers of
// gocron see to it that one of them runs a job: a Mutex of redsync on one Redis. A lease is
// the run of a job.
//
// Algorithm: Redlock with one server. Source: the library. Clock: the server's wall clock ends
// the key.
//
// It does not promise that the job is over when the key is: gocron hands the job neither a
// validity nor a notice, and runs it to its end. With WithAutoExtendDuration the key is
// extended for as long as the job runs, until that fails once, which nobody is told. A release
// gives one error for a key that was gone and for an answer that did not come, and one that is
// called twice panics.
type Gocron struct {
	rdb  *goredis.Client
	wait gocron.Locker // of a caller that waits
	once gocron.Locker
}

var (
	_ locks.Locker = (*Gocron)(nil)
	_ locks.Trier  = (*Gocron)(nil)
)

// NewGocron connects, as the library does. Its keys are extended once in a period; 0: never.
func NewGocron(cfg redislib.Config, period time.Duration) (*Gocron, error) {
	cfg = cfg.WithDefaults(max(cfg.TTL/20, 50*time.Millisecond))
	g := &Gocron{rdb: cfg.Client(cfg.Addrs[0])}
	for locker, tries := range map[*gocron.Locker]int{&g.wait: math.MaxInt32, &g.once: 1} {
		l, err := redislock.NewRedisLockerWithOptions(g.rdb, redislock.WithAutoExtendDuration(period), redislock.WithRedsyncOptions(
			redsync.WithExpiry(cfg.TTL), redsync.WithTries(tries), redsync.WithGenValueFunc(cfg.Value)))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("gocron: %w", err), g.rdb.Close())
		}
		*locker = l
	}
	return g, nil
}

// Acquire calls Lock of a Locker with as many tries as ctx allows.
func (g *Gocron) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return take(ctx, g.wait, name)
}

// TryAcquire calls Lock of one with a single try, which is what a scheduler is given.
func (g *Gocron) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return take(ctx, g.once, name)
}

func take(ctx context.Context, locker gocron.Locker, name string) (locks.Lease, error) {
	ctx, d := redislib.InDoubt(ctx)
	l, err := locker.Lock(ctx, locks.Key("lock:", name))
	if err != nil {
		return nil, d.Failure(errors.Join(err, ctx.Err()))
	}
	return &gocronLease{lock: l}, nil
}

// Close drops the connections.
func (g *Gocron) Close() error { return g.rdb.Close() }

// A gocronLease is a Lock of the library.
type gocronLease struct {
	lock     gocron.Lock
	released atomic.Bool
}

// Release calls Unlock. It is told apart by what was answered, which the library does not
// tell.
func (l *gocronLease) Release(ctx context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	ctx, d := redislib.InDoubt(ctx)
	switch err := l.lock.Unlock(ctx); {
	case err == nil:
		return nil
	case d.Unsure():
		return fmt.Errorf("release was not answered: %w", err)
	default:
		return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	}
}
