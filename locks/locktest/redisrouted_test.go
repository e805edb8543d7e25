package locktest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/redis"
)

func TestRedisRouted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		topology string
		open     func(redis.Config, []redis.Route) locks.Locker
		traits   locks.Traits
	}{
		{"redis-sentinel", func(c redis.Config, r []redis.Route) locks.Locker { return redis.NewSentinel(c, "torture", r) }, redis.SentinelTraits()},
		{"redis-cluster", func(c redis.Config, r []redis.Route) locks.Locker { return redis.NewCluster(c, r) }, redis.ClusterTraits()},
	} {
		t.Run(tt.topology, func(t *testing.T) {
			w := start(t, tt.topology)
			s := w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				routes, err := redis.ParseRoutes(endpoints)
				if err != nil {
					return nil, err
				}
				return tt.open(redis.Config{TTL: ttl, Owner: owner, Timeout: 600 * time.Millisecond}, routes), nil
			})
			s.Prober = w.primaries()
			s.Revoke = w.deleteAnywhere
			locktest.Run(t, s)
		})
	}
}

// primaries returns a probe of the Redis that are primaries now.
func (w *world) primaries() locks.Prober {
	var nodes []redis.Node
	for _, n := range w.redises() {
		if w.isPrimary(n.Addr) {
			nodes = append(nodes, n)
		}
	}
	p := redis.NewProbe(nodes, time.Second)
	w.t.Cleanup(func() { p.Close() })
	return p
}

// redises returns the servers that are no sentinels.
func (w *world) redises() []redis.Node {
	var nodes []redis.Node
	for _, n := range w.cluster.Nodes {
		if strings.HasPrefix(n.Name(), "redis") {
			nodes = append(nodes, redis.Node{Name: n.Name(), Addr: n.Addr()})
		}
	}
	return nodes
}

func (w *world) isPrimary(addr string) bool {
	c := goredis.NewClient(&goredis.Options{Addr: addr})
	defer c.Close()
	role, err := c.Do(w.t.Context(), "ROLE").Slice()
	return err == nil && role[0] == "master"
}

// deleteAnywhere deletes the key of a lock where it is: replicas and the other shards
// refuse.
func (w *world) deleteAnywhere(ctx context.Context, name string) error {
	var last error
	for _, n := range w.redises() {
		c := goredis.NewClient(&goredis.Options{Addr: n.Addr})
		defer c.Close()
		if err := c.Del(ctx, "lock:"+name).Err(); err != nil {
			last = err
			continue
		}
		return nil
	}
	return last
}
