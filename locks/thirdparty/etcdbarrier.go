package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"

	"locktorture/locks"
)

// barrierPrefix is the prefix of the keys of barriers.
const barrierPrefix = "barrier/"

// An EtcdBarrier is the Barrier of go.etcd.io/etcd/client/v3/experimental/recipes: a key that
// exists as long as nobody may pass. In the terms of package locks it is not a barrier but a latch
// that one count-down opens.
//
// Algorithm: Hold creates the key without a lease, Release deletes it, Wait returns when it is
// missing or deleted. Source: the library. Clock: none.
//
// The key has no owner and no expiry. The library supports no contexts: a caller whose ctx ends
// leaves its call running.
type EtcdBarrier struct {
	locks.NotExclusive
	etcd *EtcdConcurrency
}

var (
	_ locks.Latch   = (*EtcdBarrier)(nil)
	_ locks.Barrier = (*EtcdDoubleBarrier)(nil)
)

// NewEtcdBarrier returns a client.
func NewEtcdBarrier(cfg EtcdConfig) (*EtcdBarrier, error) {
	e, err := NewEtcdConcurrency(cfg)
	if err != nil {
		return nil, err
	}
	return &EtcdBarrier{etcd: e}, nil
}

// EtcdBarrierTraits returns the latch's traits.
func EtcdBarrierTraits() locks.Traits {
	return locks.Traits{
		Kind: locks.CountDownLatch, Single: true, Wait: "watch", Model: "latch", Clock: "none",
		FreeWithin: func(time.Duration) time.Duration { return 2 * time.Second },
	}
}

// SetCount creates the key. An existing key remains.
func (b *EtcdBarrier) SetCount(ctx context.Context, name string, count int) error {
	if count != 1 {
		return fmt.Errorf("%w: the barrier of etcd opens after one count-down, not after %d", locks.ErrNotAcquired, count)
	}
	err := alone(ctx, b.of(name).Hold)
	if errors.Is(err, recipe.ErrKeyExists) {
		return nil
	}
	return err
}

// CountDown deletes the key.
func (b *EtcdBarrier) CountDown(ctx context.Context, name, _ string) error {
	return alone(ctx, b.of(name).Release)
}

// Await waits until the key is missing.
func (b *EtcdBarrier) Await(ctx context.Context, name string) error {
	return alone(ctx, b.of(name).Wait)
}

// of returns the library's barrier with this name.
func (b *EtcdBarrier) of(name string) *recipe.Barrier {
	return recipe.NewBarrier(b.etcd.client, locks.Key(barrierPrefix, name))
}

// Close drops the connections.
func (b *EtcdBarrier) Close() error { return b.etcd.Close() }

// alone runs a call without a context, and leaves it running when ctx ends.
func alone(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An EtcdDoubleBarrier is the DoubleBarrier of go.etcd.io/etcd/client/v3/experimental/recipes, with
// one Session for each client.
//
// Algorithm: a party creates a key below "waiters" under its session. A party that finds all
// parties there writes "ready", which the others watch. To leave, the oldest waits for the newest
// to go; the others delete their keys and wait for the oldest; the last deletes "ready". Source:
// the library. Clock: the etcd leader's monotonic clock ends a session.
//
// The library supports no contexts. A caller whose ctx ends closes its session, and so deletes
// its key. If a watch ends without an event, the library goes on as if the event had come. It
// does not check whether "ready" belongs to another generation.
type EtcdDoubleBarrier struct {
	locks.NotExclusive
	etcd *EtcdConcurrency
}

// NewEtcdDoubleBarrier returns a client; it opens its session when it first enters.
func NewEtcdDoubleBarrier(cfg EtcdConfig) (*EtcdDoubleBarrier, error) {
	e, err := NewEtcdConcurrency(cfg)
	if err != nil {
		return nil, err
	}
	return &EtcdDoubleBarrier{etcd: e}, nil
}

// EtcdDoubleBarrierTraits returns the barrier's traits.
func EtcdDoubleBarrierTraits() locks.Traits {
	t := EtcdConcurrencyTraits()
	t.Kind, t.Model, t.Fair, t.Token, t.Blind = locks.DoubleBarrier, "barrier", false, false, false
	return t
}

// Enter creates a key and waits for "ready".
func (b *EtcdDoubleBarrier) Enter(ctx context.Context, name string, parties int) (locks.Lease, error) {
	for {
		s, err := b.etcd.open(ctx)
		if err != nil { // no key was requested
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		barrier := recipe.NewDoubleBarrier(s, locks.Key(barrierPrefix, name), parties)
		err = alone(ctx, barrier.Enter)
		switch {
		case err == nil:
			return &etcdStay{b.etcd, s, barrier}, nil
		case errors.Is(err, recipe.ErrTooManyClients):
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		b.etcd.drop(s)
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) { // otherwise the session had ended before, and none of its keys is left
			return nil, fmt.Errorf("enter: %w", err)
		}
	}
}

// Close drops the connections. The session ends when its TTL is over.
func (b *EtcdDoubleBarrier) Close() error { return b.etcd.Close() }

// An etcdStay is a key below "waiters".
type etcdStay struct {
	etcd    *EtcdConcurrency
	session *concurrency.Session
	barrier *recipe.DoubleBarrier
}

var _ locks.Watched = (*etcdStay)(nil)

// Lost returns a channel that is closed when the session is over, as the library knows it.
func (l *etcdStay) Lost() <-chan struct{} { return l.session.Done() }

// Release leaves, and waits until the others leave.
func (l *etcdStay) Release(ctx context.Context) error {
	over := false
	select {
	case <-l.session.Done():
		over = true
	default:
	}
	err := alone(ctx, l.barrier.Leave)
	switch {
	case err == nil && over:
		return locks.ErrNotHeld
	case err != nil:
		l.etcd.drop(l.session)
		return fmt.Errorf("leave: %w", err)
	}
	return nil
}
