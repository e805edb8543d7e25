package nemesistest_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

// serve starts a topology of real servers and returns it with its world. The
// clients of that world are none: only their links exist.
func serve(t *testing.T, topology string, clients int) (*cluster.Cluster, *nemesis.World) {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("..", "..", "bin", "servers"))
	if err != nil {
		t.Fatal(err)
	}
	p := clustertest.Need(t, bin, topology)
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := cluster.Start(ctx, topology, p, clients, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, worldOf(c, clients)
}

// worldOf is the world that a run would fill in.
func worldOf(c *cluster.Cluster, clients int) *nemesis.World {
	w := &nemesis.World{
		TTL: 500 * time.Millisecond, Quorum: c.Quorum, Clients: make([]nemesis.Client, clients),
		Link: func(client, node int) nemesis.Link {
			if l := c.Link(client, node); l != nil {
				return l
			}
			return nil
		},
		Peer: func(from, to int) nemesis.Link {
			if l := c.Peer(from, to); l != nil {
				return l
			}
			return nil
		},
	}
	for _, n := range c.Nodes {
		w.Nodes = append(w.Nodes, n)
	}
	if c.Replicas != nil {
		w.Replication = c.Replicas
	}
	return w
}

// dial connects to a Redis, with one connection and without retries.
func dial(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, DisableIdentity: true, Protocol: 2, PoolSize: 1,
		ContextTimeoutEnabled: true, DialTimeout: nemesistest.Patience, ReadTimeout: nemesistest.Patience, WriteTimeout: nemesistest.Patience,
	})
	t.Cleanup(func() { c.Close() })
	return c
}

// ping returns how long one round trip over a new connection takes, or the error within limit.
func ping(t *testing.T, addr string, limit time.Duration) (time.Duration, error) {
	t.Helper()
	c := dial(t, addr)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	start := time.Now()
	err := c.Ping(ctx).Err()
	return time.Since(start), err
}

// quick waits for a round trip that no link delays: one alone may have waited
// for the processor.
func quick(t *testing.T, what, addr string) {
	t.Helper()
	until(t, what+": a round trip within 30 ms", nemesistest.Patience, func() bool {
		took, err := ping(t, addr, nemesistest.Patience)
		return err == nil && took <= 30*ms
	})
}

// works fails the test unless addr answers, or, if it should not, is silent.
func works(t *testing.T, what, addr string, want bool) {
	t.Helper()
	limit := nemesistest.Patience
	if !want {
		limit = 100 * time.Millisecond
	}
	if took, err := ping(t, addr, limit); (err == nil) != want {
		t.Errorf("%s: error %v after %v, want an answer: %v", what, err, took, want)
	}
}

const ms = time.Millisecond

// get returns the value of a key, "" if there is none.
func get(t *testing.T, c *redis.Client, key string) string {
	t.Helper()
	v, err := c.Get(t.Context(), key).Result()
	if err != nil && err != redis.Nil {
		t.Errorf("get %s: %v", key, err)
	}
	return v
}

// set writes a key that expires after ttl; 0: never.
func set(t *testing.T, c *redis.Client, key, value string, ttl time.Duration) {
	t.Helper()
	if err := c.Set(t.Context(), key, value, ttl).Err(); err != nil {
		t.Fatalf("set %s: %v", key, err)
	}
}

// until polls a condition that must come true.
func until(t *testing.T, what string, limit time.Duration, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, limit)
		}
	}
}
