package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// RedisCluster controls a Redis Cluster. A fail-over strikes one shard: the shard in which
// WaitWrite last found a write that the replica lacked, or the shard that Aim has selected
// since. Its methods may be called from several goroutines; each waits until the others have
// returned.
type RedisCluster struct {
	links  mesh // between any two nodes
	copies mesh // the links over which a replica copies
	told   []nodeAddr
	keys   []string // one unused key for each shard

	mu     sync.Mutex
	nodes  []restarter
	shard  int // the shard of the next fail-over
	killed []int
	struck atomic.Int32 // the primary of the shard that failed over last
}

var _ Replication = (*RedisCluster)(nil)

// Primary returns the primary of the shard that failed over last, or of the first shard before any
// fail-over: a cluster has several primaries.
func (c *RedisCluster) Primary() int { return int(c.struck.Load()) }

// primaryOf asks the nodes of a shard for its primary.
func (c *RedisCluster) primaryOf(ctx context.Context, shard int) (int, error) {
	primary := -1
	for _, i := range []int{shard, partner(shard)} {
		state, err := replication(ctx, c.nodes[i].Addr())
		if err == nil && state.master == "" {
			if primary >= 0 {
				return -1, fmt.Errorf("%s and %s are both primaries", c.nodes[primary].Name(), c.nodes[i].Name())
			}
			primary = i
		}
	}
	if primary < 0 {
		return -1, fmt.Errorf("shard %d has no primary", shard+1)
	}
	return primary, nil
}

// CutReplicas interrupts the replication in all shards. The nodes still communicate on the bus and
// consider the primaries up.
func (c *RedisCluster) CutReplicas(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range shardNodes {
		if err := c.copies[i][partner(i)].Cut(); err != nil {
			return fmt.Errorf("cut %s from %s: %w", c.nodes[i].Name(), c.nodes[partner(i)].Name(), err)
		}
	}
	return nil
}

// WaitWrite waits until the primary of some shard holds a key with a value that its replica lacks.
func (c *RedisCluster) WaitWrite(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	differs := map[int]*differ{}
	for s := range shards {
		p, err := c.primaryOf(ctx, s)
		if err != nil {
			return fmt.Errorf("wait for a write: %w", err)
		}
		d := &differ{primary: redisClient(c.nodes[p].Addr()), replicas: []*redis.Client{replicaClient(c.nodes[partner(p)].Addr())}}
		defer d.close()
		differs[s] = d
	}
	err := poll(ctx, replicaPoll, func() (bool, error) {
		for s, d := range differs {
			if ahead, err := d.ahead(ctx); ahead || err != nil {
				c.shard = s
				return ahead, err
			}
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("wait for a write that a replica has not got: %w", err)
	}
	return nil
}

// replicaClient returns a client of a replica in a cluster. It first sends READONLY, without which
// a replica answers no reads.
func replicaClient(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		ContextTimeoutEnabled: true,
		OnConnect:             func(ctx context.Context, conn *redis.Conn) error { return conn.ReadOnly(ctx).Err() },
	})
}

// Failover kills the primary of the shard that WaitWrite found, and promotes its replica without
// the agreement of the other nodes. It returns once the replica accepts writes.
func (c *RedisCluster) Failover(ctx context.Context) (promoted string, err error) {
	return c.failover(ctx, func(next int) error {
		err := c.do(ctx, next, "FAILOVER", "TAKEOVER")
		if err != nil && strings.Contains(err.Error(), "to a replica") {
			return nil // the other nodes have elected it meanwhile; its writes are checked below
		}
		return err
	})
}

// Elect kills the primary of the same shard as Failover. It returns once the other primaries have
// elected the replica of the shard and the replica accepts writes.
func (c *RedisCluster) Elect(ctx context.Context) (elected string, err error) {
	return c.failover(ctx, func(int) error { return nil })
}

func (c *RedisCluster) failover(ctx context.Context, promote func(next int) error) (promoted string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old, err := c.primaryOf(ctx, c.shard)
	if err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	if err := c.nodes[old].Kill(ctx); err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	c.killed = append(c.killed, old)
	next := partner(old)
	if err := promote(next); err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	client := redisClient(c.nodes[next].Addr())
	defer client.Close()
	err = poll(ctx, replicaPoll, func() (bool, error) {
		return client.Del(ctx, c.keys[c.shard]).Err() == nil, nil
	})
	if err != nil {
		return "", fmt.Errorf("write to %s, which was to take over: %w", c.nodes[next].Name(), err)
	}
	c.struck.Store(int32(next))
	return c.nodes[next].Name(), nil
}

// Rejoin heals the links between the nodes and restarts killed primaries, which become replicas of
// their shards. It returns when the cluster is complete and every replica in sync.
func (c *RedisCluster) Rejoin(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range shardNodes {
		if err := c.copies[i][partner(i)].Heal(); err != nil {
			return fmt.Errorf("rejoin: %w", err)
		}
	}
	if err := c.links.heal(); err != nil {
		return fmt.Errorf("rejoin: %w", err)
	}
	for _, i := range c.killed {
		if err := c.nodes[i].Start(ctx, false); err != nil {
			return fmt.Errorf("rejoin: %w", err)
		}
	}
	c.killed = nil
	return c.whole(ctx)
}
