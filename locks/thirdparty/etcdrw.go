package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An EtcdRW is the RWMutex of go.etcd.io/etcd/client/v3/experimental/recipes, with one Session for
// each client and a new RWMutex for each call (EtcdConfig.OneMutex: one for all).
//
// Algorithm: a key of the session for each reader and each writer. A writer waits until every
// older key is gone, a reader until every older writer's key is gone; each watches the
// youngest key for which it waits. Source: the library. Clock: the etcd leader's monotonic
// clock ends the session; the client's clock reports its loss.
//
// It does not promise that a client that is granted the lock still has a key: the library
// checks only the keys of others, so a waiter whose session has ended takes the lock when the
// keys of the others are gone (etcd#16221; the loss is reported before or directly after). A
// dead reader also blocks later requests for as long as its session lasts. The library's calls
// support no contexts and no timeouts: an abandoned wait ends the session with all locks of
// the client (Lost is closed for each). A release does not report whether the key was still
// there. It has no token.
type EtcdRW struct {
	etcd *EtcdConcurrency

	mu sync.Mutex
	// one maps a session and the name of a lock to a mutex. It is nil if each call makes a new
	// mutex.
	one map[string]*recipe.RWMutex
}

var (
	_ locks.Locker = (*EtcdRW)(nil)
	_ locks.Sharer = (*EtcdRW)(nil)
)

// NewEtcdRW returns a client; it opens its session when it first acquires.
func NewEtcdRW(cfg EtcdConfig) (*EtcdRW, error) {
	e, err := NewEtcdConcurrency(cfg)
	if err != nil {
		return nil, err
	}
	rw := &EtcdRW{etcd: e}
	if cfg.OneMutex {
		rw.one = map[string]*recipe.RWMutex{}
	}
	return rw, nil
}

// EtcdRWTraits returns the lock's traits.
func EtcdRWTraits() locks.Traits {
	t := EtcdConcurrencyTraits()
	t.Kind, t.Token, t.Model = locks.ReadWrite, false, "timed-rwlock"
	t.Blind = true // RUnlock and Unlock ignore whether their delete found a key
	return t
}

// Acquire calls Lock.
func (e *EtcdRW) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return e.take(ctx, name, (*recipe.RWMutex).Lock, (*recipe.RWMutex).Unlock)
}

// AcquireShared calls RLock.
func (e *EtcdRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return e.take(ctx, name, (*recipe.RWMutex).RLock, (*recipe.RWMutex).RUnlock)
}

// Close drops the connections. The session ends when its TTL is over.
func (e *EtcdRW) Close() error { return e.etcd.Close() }

// take calls Lock or RLock. It repeats the call with a new session if the session had ended
// unnoticed.
func (e *EtcdRW) take(ctx context.Context, name string, lock, unlock func(*recipe.RWMutex) error) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		s, err := e.etcd.open(ctx)
		if err != nil {
			// No key was requested; a session that the client never received holds nothing.
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		m := e.mutex(s, name)
		done := make(chan error, 1)
		go func() { done <- lock(m) }()
		select {
		case err = <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		switch {
		case err == nil:
			return &etcdRWLease{rw: e, session: s, release: func() error { return unlock(m) }}, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound):
			e.etcd.drop(s) // the server answered that there is no such session, so no key of it exists
			continue
		}
		return nil, e.giveUp(s, err)
	}
}

// mutex returns the mutex for a call.
func (e *EtcdRW) mutex(s *concurrency.Session, name string) *recipe.RWMutex {
	m := recipe.NewRWMutex(s, locks.Key(etcdPrefix, name))
	if e.one == nil {
		return m
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strconv.FormatInt(int64(s.Lease()), 16) + "/" + name
	if had, ok := e.one[key]; ok {
		return had
	}
	e.one[key] = m
	return m
}

// giveUp ends a session, because the library keeps waiting and cannot remove the key of the
// wait. Once the session is revoked, its key is gone, and no key can be put any more.
func (e *EtcdRW) giveUp(s *concurrency.Session, why error) error {
	if err := e.within(s.Close); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return attempt.Unanswered(errors.Join(why, err))
	}
	return fmt.Errorf("%w: gave the session up: %w", locks.ErrNotAcquired, why)
}

// within runs a call of the library for at most Patience.
func (e *EtcdRW) within(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	t := time.NewTimer(e.etcd.cfg.Patience)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("%w within %v", errPatience, e.etcd.cfg.Patience)
	}
}

// An etcdRWLease is a key of the session.
type etcdRWLease struct {
	rw       *EtcdRW
	session  *concurrency.Session
	release  func() error
	released atomic.Bool
}

var _ locks.Watched = (*etcdRWLease)(nil)

// Lost returns a channel that is closed when the session is over, as the library knows it.
func (l *etcdRWLease) Lost() <-chan struct{} { return l.session.Done() }

// Release deletes the key, once. The library does not report whether it was still there; ErrNotHeld
// is returned only for a second release and for a session that is over.
func (l *etcdRWLease) Release(context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	over := false
	select {
	case <-l.session.Done():
		over = true
	default:
	}
	err := l.rw.within(l.release)
	switch {
	case err == nil && over:
		return locks.ErrNotHeld
	case err != nil:
		l.rw.etcd.drop(l.session) // the key must not outlive its session, or be deleted after it
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
