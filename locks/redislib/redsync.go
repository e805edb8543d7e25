package redislib

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	redsyncgoredis "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A Redsync is the Mutex of github.com/go-redsync/redsync over independent Redis
// servers, with the library's own pauses, drift and time-outs.
//
// Algorithm: Redlock. Source: the library; redis.io, "Distributed Locks with
// Redis". Clock: the client's for the elapsed time, each server's wall clock for
// its key. The validity that is recorded is Mutex.Until.
//
// It does not promise what Redlock does not; and when a waiter gives up while some
// servers have just granted, it asks them to release with the context that is
// already over, so that their keys stay until they expire.
type Redsync struct {
	cfg     Config
	options []redsync.Option
	rdbs    []*goredis.Client
	rs      *redsync.Redsync
}

var (
	_ locks.Locker = (*Redsync)(nil)
	_ locks.Trier  = (*Redsync)(nil)
)

// RedsyncTraits returns the lock's traits.
func RedsyncTraits() locks.Traits {
	return locks.Traits{
		Wait: "random delay", Bounded: true, Validity: "TTL − elapsed − drift",
		LeastTTL: 500 * time.Millisecond, Model: "timed-lease",
		// The library's longest pause.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + 250*time.Millisecond },
		Clock:      "each Redis server's wall clock, and the client's",
	}
}

// NewRedsync returns a client; it connects when it is first used. The options are
// the library's, for every Mutex.
func NewRedsync(cfg Config, options ...redsync.Option) *Redsync {
	// The library's time-out for a round, which go-redis by default does not look at.
	cfg = cfg.WithDefaults(max(cfg.TTL/20, 50*time.Millisecond))
	r := &Redsync{cfg: cfg, options: options}
	var pools []redsyncredis.Pool
	for _, addr := range cfg.Addrs {
		rdb := cfg.Client(addr)
		r.rdbs = append(r.rdbs, rdb)
		pools = append(pools, redsyncgoredis.NewPool(rdb))
	}
	r.rs = redsync.New(pools...)
	return r
}

// Acquire calls LockContext with as many tries as ctx allows.
func (r *Redsync) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.lock(ctx, name, (*redsync.Mutex).LockContext)
}

// TryAcquire calls TryLockContext.
func (r *Redsync) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.lock(ctx, name, (*redsync.Mutex).TryLockContext)
}

func (r *Redsync) lock(ctx context.Context, name string, lock func(*redsync.Mutex, context.Context) error) (locks.Lease, error) {
	m := r.rs.NewMutex(locks.Key("lock:", name), append([]redsync.Option{
		redsync.WithExpiry(r.cfg.TTL), redsync.WithTries(math.MaxInt32), redsync.WithGenValueFunc(r.cfg.Value),
	}, r.options...)...)
	ctx, d := InDoubt(ctx)
	if err := lock(m, ctx); err != nil {
		return nil, d.Failure(err)
	}
	return &redsyncLease{m}, nil
}

// Close drops the connections.
func (r *Redsync) Close() error {
	var errs []error
	for _, rdb := range r.rdbs {
		errs = append(errs, rdb.Close())
	}
	return errors.Join(errs...)
}

// A redsyncLease is a Mutex of the library that is locked.
type redsyncLease struct{ mutex *redsync.Mutex }

var (
	_ locks.Bounded = (*redsyncLease)(nil)
	_ locks.Renewer = (*redsyncLease)(nil)
	_ locks.Owned   = (*redsyncLease)(nil)
)

// Until is Mutex.Until.
func (l *redsyncLease) Until() time.Time { return l.mutex.Until() }

// Owner is Mutex.Value.
func (l *redsyncLease) Owner() string { return l.mutex.Value() }

// Renew calls ExtendContext.
func (l *redsyncLease) Renew(ctx context.Context) error {
	ctx, d := InDoubt(ctx)
	ok, err := l.mutex.ExtendContext(ctx)
	switch {
	case ok:
		return nil
	case d.Any():
		return fmt.Errorf("extend was not answered: %w", err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
}

// Release calls UnlockContext.
func (l *redsyncLease) Release(ctx context.Context) error {
	ctx, d := InDoubt(ctx)
	ok, err := l.mutex.UnlockContext(ctx)
	var taken *redsync.ErrTaken // of a quorum
	switch {
	case ok:
		return nil
	case d.Any() && !errors.As(err, &taken):
		return fmt.Errorf("release was not answered: %w", err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
}
