package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Watch is SETNX and EXPIRE with two additions: a waiter repairs a key without an expiry, and a
// release watches the key: WATCH, GET, MULTI, DEL, EXEC.
//
// Source: Josiah Carlson, "Redis in Action", section 6.2.5, with its repair exactly as published:
// `elif not conn.ttl(lockname): conn.expire(…)`. Clock: the server's wall clock ends the lease, in
// whole seconds; the client computes its validity as the start of the SETNX plus the TTL.
//
// It does not promise that the lock ever becomes free if its holder dies. TTL answers −1 for a key
// without expiry, which is not falsy, so a key whose holder died between the two commands is never
// repaired. TTL also rounds: it answers 0 in the last half second of any lease, which a waiter then
// extends by a TTL, again and again. The release is correct. Otherwise it promises the same as Set.
type Watch struct {
	*server
	// lacksExpiry decides from the answer to TTL whether a waiter repairs the key.
	lacksExpiry func(ttl int64) bool
}

var (
	_ locks.Locker = (*Watch)(nil)
	_ locks.Trier  = (*Watch)(nil)
)

// NewWatch returns a client; it connects when it is first used.
func NewWatch(cfg Config) *Watch {
	return &Watch{newServer(cfg), func(ttl int64) bool { return ttl == 0 }}
}

// WatchTraits returns the lock's traits.
func WatchTraits() locks.Traits {
	t := SetTraits()
	t.LeastTTL = time.Second
	t.FreeWithin = func(ttl time.Duration) time.Duration {
		return time.Duration(wholeSeconds(ttl))*time.Second + retryMax
	}
	return t
}

// wholeSeconds rounds a TTL up to whole seconds, as EXPIRE requires.
func wholeSeconds(ttl time.Duration) int64 { return int64(math.Ceil(ttl.Seconds())) }

// Acquire spins until the key is set.
func (w *Watch) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, w.terms, w.attempt, name)
}

// TryAcquire sends one SETNX.
func (w *Watch) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, w.terms, w.attempt, name)
}

// attempt returns a lease and the function that tries once to take it. The validity counts from
// before the first command.
func (w *Watch) attempt(name string) (*watchLease, attempt.Try) {
	l := &watchLease{watch: w, Grant: attempt.Grant{Name: name, Value: w.owner()}}
	return l, func(ctx context.Context) (bool, error) {
		start := w.cfg.Clock.Now()
		n, err := w.rdb.Do(ctx, "SETNX", lockKey(name), l.Value).Int64()
		switch {
		case err != nil:
			return false, err
		case n == 0:
			w.repair(ctx, name)
			return false, nil
		}
		if err := w.expire(ctx, name); err != nil {
			return false, attempt.Halfway("set the expiry", err)
		}
		l.End = start.Add(w.cfg.TTL)
		return true, nil
	}
}

// repair gives an expiry to a key that seems to have none. Its result says nothing about the
// waiter's own request, which was refused.
func (w *Watch) repair(ctx context.Context, name string) {
	ttl, err := w.rdb.Do(ctx, "TTL", lockKey(name)).Int64()
	if err == nil && w.lacksExpiry(ttl) {
		_ = w.expire(ctx, name)
	}
}

// expire sets the expiry of the key in whole seconds, the unit of EXPIRE.
func (w *Watch) expire(ctx context.Context, name string) error {
	return w.rdb.Do(ctx, "EXPIRE", lockKey(name), wholeSeconds(w.cfg.TTL)).Err()
}

// A watchLease is the key with this owner's value. Its validity ends one TTL after the start
// of the granted SETNX.
type watchLease struct {
	attempt.Grant
	watch *Watch
}

var (
	_ locks.Bounded = (*watchLease)(nil)
	_ locks.Owned   = (*watchLease)(nil)
)

// Release deletes the key if it has this owner's value and does not change meanwhile. If it
// changes, Release checks it again.
func (l *watchLease) Release(ctx context.Context) error {
	rctx, cancel := l.watch.terms.Request(ctx)
	defer cancel()
	var err error = goredis.TxFailedErr
	for errors.Is(err, goredis.TxFailedErr) {
		err = l.watch.rdb.Watch(rctx, func(tx *goredis.Tx) error { return l.unset(rctx, tx) }, lockKey(l.Name))
	}
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("release: %w", err)
	}
	return err
}

// unset executes one transaction on the watched key.
func (l *watchLease) unset(ctx context.Context, tx *goredis.Tx) error {
	value, err := tx.Get(ctx, lockKey(l.Name)).Result()
	switch {
	case errors.Is(err, goredis.Nil), err == nil && value != l.Value:
		return locks.ErrNotHeld
	case err != nil:
		return err
	}
	_, err = tx.TxPipelined(ctx, func(p goredis.Pipeliner) error {
		p.Del(ctx, lockKey(l.Name))
		return nil
	})
	return err
}
