// Package redsync is the adapter to github.com/go-redsync/redsync.
package redsync

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
	"locktorture/locks/redislib"
)

// A Lock is the Mutex of github.com/go-redsync/redsync over independent Redis servers, with the
// library's own pauses, drift and timeouts.
//
// Algorithm: Redlock. Source: the library; redis.io, "Distributed Locks with Redis". Clock: the
// client's for the elapsed time, each server's wall clock for its key. The recorded validity is
// Mutex.Until.
//
// Its promises are no stronger than those of Redlock. When a waiter's context ends while some
// servers have just granted, the library releases them with the ended context, so their keys stay
// until they expire.
type Lock struct {
	cfg     redislib.Config
	options []redsync.Option
	rdbs    []*goredis.Client
	rs      *redsync.Redsync
}

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used. The options apply to every Mutex of the
// library.
func New(cfg redislib.Config, options ...redsync.Option) *Lock {
	// The library's timeout for a round, which go-redis ignores by default.
	cfg = cfg.WithDefaults(max(cfg.TTL/20, 50*time.Millisecond))
	r := &Lock{cfg: cfg, options: options}
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
func (r *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.lock(ctx, name, (*redsync.Mutex).LockContext)
}

// TryAcquire calls TryLockContext.
func (r *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.lock(ctx, name, (*redsync.Mutex).TryLockContext)
}

// lock takes the lock with one of the library's two methods.
func (r *Lock) lock(ctx context.Context, name string, lock func(*redsync.Mutex, context.Context) error) (locks.Lease, error) {
	m := r.rs.NewMutex(locks.Key("lock:", name), append([]redsync.Option{
		redsync.WithExpiry(r.cfg.TTL), redsync.WithTries(math.MaxInt32), redsync.WithGenValueFunc(r.cfg.Value),
	}, r.options...)...)
	ctx, d := redislib.InDoubt(ctx)
	if err := lock(m, ctx); err != nil {
		return nil, d.Failure(err)
	}
	return &lease{m, len(r.rdbs)}, nil
}

// Close drops the connections.
func (r *Lock) Close() error {
	var errs []error
	for _, rdb := range r.rdbs {
		errs = append(errs, rdb.Close())
	}
	return errors.Join(errs...)
}

// A lease wraps a locked Mutex of the library.
type lease struct {
	mutex *redsync.Mutex
	nodes int
}

var (
	_ locks.Bounded = (*lease)(nil)
	_ locks.Renewer = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Until returns Mutex.Until.
func (l *lease) Until() time.Time { return l.mutex.Until() }

// Owner returns Mutex.Value.
func (l *lease) Owner() string { return l.mutex.Value() }

// Renew calls ExtendContext.
func (l *lease) Renew(ctx context.Context) error {
	ok, err := l.mutex.ExtendContext(ctx)
	switch {
	case ok:
		return nil
	case !errors.Is(err, redsync.ErrExtendFailed) && !l.lost(err): // extended, but too late
		return fmt.Errorf("extend was not answered: %w", err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
}

// Release calls UnlockContext.
func (l *lease) Release(ctx context.Context) error {
	ok, err := l.mutex.UnlockContext(ctx)
	switch {
	case ok:
		return nil
	case !l.lost(err):
		return fmt.Errorf("release was not answered: %w", err)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
}

// lost reports whether a majority of the nodes answered that the lease is not there. A node that
// could not be asked may still have it.
func (l *lease) lost(err error) bool { return gone(err) > l.nodes/2 }

// gone returns how many nodes answered that the lease is not there. The library joins the errors of
// the nodes, or returns one for a majority.
func gone(err error) (n int) {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			n += gone(part)
		}
	case *redsync.ErrTaken:
		return len(e.Nodes)
	case *redsync.ErrNodeTaken:
		return 1
	default:
		if err == redsync.ErrLockAlreadyExpired {
			return 1
		}
	}
	return n
}
