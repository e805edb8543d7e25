package drivertest

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/internal/rediscmd"
	"locktorture/locks"
	"locktorture/locks/locktest"
)

// suite returns the lock of the driver in the world in which it is tested.
func (c *checks) suite(ctx context.Context) (locktest.Suite, func(), error) {
	b := c.subject
	declared := b.Backend.Driver.Declared
	s := locktest.Suite{
		Traits: b.Backend.Traits, TTL: b.TTL, Quorum: b.Cluster.Quorum,
		Open: func(ctx context.Context, n int) (locks.Locker, error) {
			k, err := b.open(ctx, n, c.talk)
			if err != nil {
				return nil, err
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.opened = append(c.opened, k)
			return k, nil
		},
	}
	if declared.Keys == "zookeeper" {
		s.Quorum = 1 // one sight stands for all
	}
	if len(b.Cluster.Nodes) > 0 && b.Cluster.Link(1, 0) != nil {
		s.Cut = func(n int) error { return b.each(n, (*cluster.Link).Cut) }
		s.Mute = func(n int) error { return b.each(n, (*cluster.Link).CutReplies) }
		s.Heal = func(n int) error { return b.each(n, (*cluster.Link).Heal) }
		s.Slow = func(n int, d time.Duration) error {
			return b.each(n, func(l *cluster.Link) error { return l.Slow(d, 0) })
		}
	}
	done := func() {}
	if b.Backend.Prober != nil {
		prober, err := b.Backend.Prober(b.Cluster)
		if err != nil {
			return s, done, err
		}
		s.Prober = prober
		done = func() { prober.Close() }
	}
	switch t := s.Traits; {
	case declared.RedisKey() != nil:
		s.Revoke = func(ctx context.Context, name string) error { return b.revokeRedis(ctx, declared.RedisKey()(name)) }
	case t.LeastTTL > 0 && t.FreeWithin != nil && !t.Bounded && !t.Renews && !t.Watched:
		// Its leases end by themselves although it tells nobody when.
		s.Revoke = func(ctx context.Context, _ string) error { return wait(ctx, t.FreeWithin(s.TTL)) }
	}
	return s, done, nil
}

// wait waits for d.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// each does something to all links of a client.
func (b Subject) each(client int, do func(*cluster.Link) error) error {
	for n := range b.Cluster.Nodes {
		if l := b.Cluster.Link(client, n); l != nil {
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// revokeRedis removes a key from every server.
func (b Subject) revokeRedis(ctx context.Context, key string) error {
	for _, n := range b.Cluster.Nodes {
		rdb := rediscmd.Open(rediscmd.Server{Addr: n.Addr()})
		err := rdb.Del(ctx, key).Err()
		rdb.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
