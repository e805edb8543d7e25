package memcached

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is an item that ADD creates, with an expiry. The release reads the item with its version
// (GETS) and, if the value is still the owner's, replaces that version (CAS) by one that has
// already expired. Waiters spin.
//
// Source: the memcached wiki, "ghetto central locking", with a release that checks the owner.
// Clock: the server's monotonic clock, read once a second and in whole seconds: an item may disappear
// up to two seconds before its expiry, so the validity is TTL − 2 s.
//
// It does not promise that a lease survives a restart of the server or an eviction, nor that a
// holder stops when its validity is over, nor any order among waiters. It has no token.
type Lock struct{ *client }

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg Config) *Lock { return &Lock{newClient(cfg)} }

// Traits returns the lock's traits.
func Traits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Validity: "TTL - 2 s", LeastTTL: leastTTL, Model: "timed-lease",
		// The server reads its clock once a second.
		FreeWithin: func(ttl time.Duration) time.Duration { return max(ttl, leastTTL) + time.Second },
		Clock:      "the server's monotonic clock, in whole seconds",
	}
}

// Acquire spins until the item is added.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Retry(ctx, l.cfg.Clock, l.pause, func() (locks.Lease, error) { return l.TryAcquire(ctx, name) })
}

// TryAcquire sends one ADD.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	owner := attempt.Owner(l.cfg.Owner)
	until := l.cfg.Clock.Now().Add(l.cfg.TTL - coarse)
	err := l.request(ctx, func() error {
		return l.mc.Add(&memcache.Item{Key: itemKey(name), Value: []byte(owner), Expiration: int32(l.cfg.TTL / time.Second)})
	})
	taken := errors.Is(err, memcache.ErrNotStored)
	if taken {
		err = nil
	}
	if err := attempt.Outcome(!taken, err, certain); err != nil {
		return nil, err
	}
	return &lease{attempt.Grant{Name: name, Value: owner, End: until}, l}, nil
}

// A lease is the item with this owner's value. Its validity counts from the start of the granted
// request and is a second shorter than the TTL.
type lease struct {
	attempt.Grant
	lock *Lock
}

var (
	_ locks.Bounded = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Release replaces the item by an expired one if it still has this owner's value.
func (l *lease) Release(ctx context.Context) error {
	err := l.lock.request(ctx, func() error {
		item, err := l.lock.mc.Get(itemKey(l.Name)) // the library sends GETS
		if err != nil {
			return err
		}
		if string(item.Value) != l.Value {
			return memcache.ErrCacheMiss
		}
		item.Expiration = -1 // expires at once
		return l.lock.mc.CompareAndSwap(item)
	})
	switch {
	case errors.Is(err, memcache.ErrCacheMiss), errors.Is(err, memcache.ErrCASConflict), errors.Is(err, memcache.ErrNotStored):
		return locks.ErrNotHeld
	case err != nil:
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
