//go:build linux

package processtest_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
)

// clusterClient returns a client of a cluster over its own links.
func clusterClient(t *testing.T, c *cluster.Cluster, client int) *redis.ClusterClient {
	t.Helper()
	_, links := routesOf(t, c, client)
	o := &redis.ClusterOptions{DisableIdentity: true, ClusterStateReloadInterval: 300 * time.Millisecond}
	for announced := range links {
		o.Addrs = append(o.Addrs, announced)
	}
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, links[addr])
	}
	r := redis.NewClusterClient(o)
	t.Cleanup(func() { r.Close() })
	return r
}

// Twice in a row: a replica takes over that lacks the last write of its shard, and
// the old primary comes back as a replica in sync.
func TestRedisClusterFailover(t *testing.T) {
	begin := time.Now()
	c := start(t, cluster.Config{Topology: "redis-cluster", Clients: 1})
	t.Logf("%s, up after %v", c.Nodes[0].Version(), time.Since(begin))
	for round := range 2 {
		r := clusterClient(t, c, 1)
		must(t, r.Set(t.Context(), "kept", round, 0).Err())
		must(t, r.Set(t.Context(), "lost", "before", 0).Err())
		must(t, c.Replicas.Rejoin(t.Context())) // in sync
		must(t, c.Replicas.CutReplicas(t.Context()))
		must(t, r.Set(t.Context(), "lost", round, 0).Err())
		must(t, c.Replicas.WaitWrite(t.Context()))
		begin := time.Now()
		promoted, err := c.Replicas.Failover(t.Context())
		must(t, err)
		t.Logf("%s took over after %v", promoted, time.Since(begin))
		now := c.Replicas.Primary()
		if promoted != c.Nodes[now].Name() {
			t.Errorf("promoted %s, the primary is %d", promoted, now)
		}
		eventually(t, "the cluster serves the key of the shard that failed over", func() bool {
			v, err := r.Get(t.Context(), "lost").Result()
			return err == nil && v == "before"
		})
		if v, err := r.Get(t.Context(), "kept").Result(); err != nil || v != string(rune('0'+round)) {
			t.Errorf("kept is %q, %v", v, err)
		}
		must(t, c.Replicas.Rejoin(t.Context()))
	}
}

// A primary that is killed by itself, stopped, or cut off from the other nodes is
// replaced by its replica, and is one when it is back.
func TestRedisClusterPromotes(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-cluster", Clients: 1})
	isPrimary := func(i int) bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		role, err := dial(t, c.Nodes[i].Addr()).Do(ctx, "ROLE").Slice()
		return err == nil && role[0] == "master"
	}
	for _, way := range []struct {
		name       string
		strike, up func(i int) error
	}{
		{"killed", func(i int) error { return server(c, i).Kill(t.Context()) }, func(i int) error { return server(c, i).Start(t.Context(), true) }},
		{"stopped", func(i int) error { return server(c, i).Pause(t.Context()) }, func(i int) error { return server(c, i).Resume(t.Context()) }},
		{"cut off", func(i int) error { return peers(c, i, (*cluster.Link).Cut) }, func(i int) error { return peers(c, i, (*cluster.Link).Heal) }},
	} {
		old, next := 0, 3
		if isPrimary(3) {
			old, next = 3, 0
		}
		begin := time.Now()
		must(t, way.strike(old))
		eventually(t, "another primary", func() bool { return isPrimary(next) })
		t.Logf("%s: %s after %v", way.name, c.Nodes[next].Name(), time.Since(begin))
		must(t, way.up(old))
		must(t, c.Replicas.Rejoin(t.Context()))
		if isPrimary(old) {
			t.Errorf("%s: %s is a primary again", way.name, c.Nodes[old].Name())
		}
	}
}
