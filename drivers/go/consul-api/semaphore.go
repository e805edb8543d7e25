package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/consul/api"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A ConsulSemaphore is the Semaphore of github.com/hashicorp/consul/api, with a session for
// each permit that the library makes and renews.
//
// Algorithm: each contender has a key of its session. Another key lists the sessions that have
// a slot; who finds fewer of them alive than there are slots replaces the list, by
// compare-and-set, with one without the dead and with itself. Source: the library. Clock: the
// Consul leader's monotonic clock ends the session, after up to twice its TTL; it also ends
// when the agent that made it is seen dead.
//
// It gives one permit at a time, in no order. It does not promise to tell a loss in time: the
// channel closes when a blocking query has returned, and also when one has failed although the
// slot is still there. Nor that whoever is granted a slot still has a session: nothing looks
// between the compare-and-set and the return. A release does not say whether the slot was
// still held. It has no token.
type ConsulSemaphore struct {
	locks.NotExclusive
	consul *ConsulAPI
}

var (
	_ locks.Locker    = (*ConsulSemaphore)(nil)
	_ locks.Permitter = (*ConsulSemaphore)(nil)
)

// NewConsulSemaphore returns a client; it connects when it is first used.
func NewConsulSemaphore(cfg ConsulConfig) (*ConsulSemaphore, error) {
	c, err := NewConsulAPI(cfg)
	if err != nil {
		return nil, err
	}
	return &ConsulSemaphore{consul: c}, nil
}

// AcquirePermits runs Acquire. More than one permit at a time the library does not have.
func (c *ConsulSemaphore) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	if n != 1 {
		return nil, fmt.Errorf("%d permits at a time: %w", n, errors.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	cfg, owner := c.consul.cfg, attempt.Owner(c.consul.cfg.Owner)
	s, err := c.consul.client.SemaphoreOpts(&api.SemaphoreOptions{
		Prefix: locks.Key("lock/", name) + "/", Limit: capacity, Value: []byte(owner), SessionName: cfg.Session,
		SessionTTL: cfg.TTL.String(), SemaphoreWaitTime: cfg.Patience / 2,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	return c.consul.take(ctx, owner, s.Acquire, s.Release)
}

// Close drops the connections. The sessions end when twice their TTL is over.
func (c *ConsulSemaphore) Close() error { return c.consul.Close() }
