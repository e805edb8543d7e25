package locktest_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/redis"
)

// ttl is short, and long enough for a machine that is busy with other tests.
const ttl = time.Second

// clients is the number of clients of a suite.
const clients = 8

// A world is a cluster with links that the hooks of a suite disturb.
type world struct {
	t       testing.TB
	cluster *cluster.Cluster
}

func start(t testing.TB, topology string) *world {
	t.Helper()
	p := clustertest.Need(t, filepath.Join("..", "..", "bin", "servers"), topology)
	c, err := cluster.Start(t.Context(), topology, p, clients, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{t, c}
}

// each does something to all links of a client.
func (w *world) each(client int, do func(*cluster.Link) error) error {
	for n := range w.cluster.Nodes {
		if l := w.cluster.Link(client, n); l != nil {
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// suite fills in the hooks that every cluster has.
func (w *world) suite(traits locks.Traits, open func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error)) locktest.Suite {
	return locktest.Suite{
		Traits: traits, TTL: ttl, Quorum: w.cluster.Quorum,
		Open: func(ctx context.Context, n int) (locks.Locker, error) {
			return open(ctx, w.cluster.Endpoints(n), "p"+string(rune('0'+n)))
		},
		Cut:  func(n int) error { return w.each(n, (*cluster.Link).Cut) },
		Mute: func(n int) error { return w.each(n, (*cluster.Link).CutReplies) },
		Heal: func(n int) error { return w.each(n, (*cluster.Link).Heal) },
		Slow: func(n int, d time.Duration) error {
			return w.each(n, func(l *cluster.Link) error { return l.Slow(d, 0) })
		},
	}
}

// withRedis adds the hooks of a lock whose keys are in Redis.
func (w *world) withRedis(s locktest.Suite) locktest.Suite {
	var nodes []redis.Node
	var direct []*goredis.Client
	for i, addr := range w.cluster.Endpoints(0) {
		nodes = append(nodes, redis.Node{Name: w.cluster.Nodes[i].Name(), Addr: addr})
		direct = append(direct, goredis.NewClient(&goredis.Options{Addr: addr}))
	}
	probe := redis.NewProbe(nodes, time.Second)
	w.t.Cleanup(func() {
		probe.Close()
		for _, c := range direct {
			c.Close()
		}
	})
	s.Prober = probe
	s.Revoke = func(ctx context.Context, name string) error {
		for _, c := range direct {
			if err := c.Del(ctx, "lock:"+name).Err(); err != nil {
				return err
			}
		}
		return nil
	}
	return s
}

// looked probes the servers until they answer: a busy machine may take longer than a probe waits.
func looked(ctx context.Context, p locks.Prober, name string) ([]locks.Sight, error) {
	for {
		sights, err := p.Probe(ctx, name)
		if err == nil || ctx.Err() != nil {
			return sights, err
		}
	}
}
