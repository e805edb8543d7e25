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

// barrierPrefix begins the keys of barriers.
const barrierPrefix = "barrier/"

// An EtcdBarrier is the Barrier of go.etcd.io/etcd/client/v3/experimental/recipes: a key that
// is there as long as nobody may pass. It is a gate, and not what is called a barrier here: a
// latch that one count-down opens.
//
// Algorithm: Hold creates the key without a lease, Release deletes it, Wait returns when it is
// not there or is deleted. Source: the library. Clock: none.
//
// The key has no owner and no end. The library takes no context: who gives up leaves its call
// to itself.
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

// EtcdBarrierTraits returns the gate's traits.
func EtcdBarrierTraits() locks.Traits {
	return locks.Traits{
		Kind: locks.CountDownLatch, Single: true, Wait: "watch", Model: "latch", Clock: "none",
		FreeWithin: func(time.Duration) time.Duration { return 2 * time.Second },
	}
}

// SetCount creates the key. One that is there stays.
func (b *EtcdBarrier) SetCount(ctx context.Context, name string, count int) error {
	if count != 1 {
		return fmt.Errorf("%w: the barrier of etcd is opened by one, not by %d", locks.ErrNotAcquired, count)
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

// Await waits until the key is not there.
func (b *EtcdBarrier) Await(ctx context.Context, name string) error {
	return alone(ctx, b.of(name).Wait)
}

func (b *EtcdBarrier) of(name string) *recipe.Barrier {
	return recipe.NewBarrier(b.etcd.client, locks.Key(barrierPrefix, name))
}

// Close drops the connections.
func (b *EtcdBarrier) Close() error { return b.etcd.Close() }

// alone runs what takes no context, and leaves it to itself when ctx ends.
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

// An EtcdDoubleBarrier is the DoubleBarrier of go.etcd.io/etcd/client/v3/experimental/recipes,
// on a Session of its own for each client.
//
// Algorithm: a party creates a key below "waiters" under its session; who finds as many as
// there are parties writes "ready", for which the others watch. To leave, the oldest waits for
// the newest to go, the others delete their keys and wait for the oldest; the last deletes
// "ready". Source: the library. Clock: the etcd leader's monotonic clock ends a session.
//
// The library takes no context. A caller that gives up ends its session, and with it its key.
// A watch that ends without an event looks to the library like the event. That "ready" was of
// another generation nobody asks.
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
		if err != nil { // no key was asked for
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
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) { // else the session was over before, and no key of it is there
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

// Release leaves, and waits for the others to.
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
