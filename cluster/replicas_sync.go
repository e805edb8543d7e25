package cluster

import (
	"context"
	"fmt"
	"strconv"
)

// WaitSync waits until every replica has all data that the primary had written at the call.
func (r *Replicas) WaitSync(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inSync(ctx)
}

// FailoverTo is like Failover, but promotes the replica with this index, even if it lacks writes.
func (r *Replicas) FailoverTo(ctx context.Context, next int) (promoted string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next == r.Primary() || r.killed[next] {
		return "", fmt.Errorf("fail over to %s: it is no replica that runs", r.nodes[next].Name())
	}
	return r.failover(ctx, next)
}

// CutReplica interrupts the replication to one replica (index).
func (r *Replicas) CutReplica(_ context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i == r.Primary() {
		return fmt.Errorf("cut %s from itself", r.nodes[i].Name())
	}
	return r.links[i][r.Primary()].Cut()
}

// WaitSync waits until every replica has all data that the primary had written at the call.
func (s *Sentinels) WaitSync(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inSync(ctx)
}

// WaitSync waits until every replica has all data that its primary had written at the call.
func (c *RedisCluster) WaitSync(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.whole(ctx)
}

// Aim selects the shard of a key for the next fail-over.
func (c *RedisCluster) Aim(ctx context.Context, key string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, err := c.text(ctx, 0, "KEYSLOT", key)
	if err != nil {
		return err
	}
	slot, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("slot of %s: %w", key, err)
	}
	for c.shard = 0; slot >= (c.shard+1)*clusterSlots/shards; {
		c.shard++
	}
	return nil
}
