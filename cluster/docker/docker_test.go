//go:build engine && linux

package docker_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/docker"
)

// asked reports whether containers were asked for: then their absence is a failure.
func asked() bool { return os.Getenv("TORTURE_TEST_DOCKER") != "" }

// provisioner fails the test if containers were asked for and there are none; it skips the
// test if nobody has asked.
func provisioner(t *testing.T, topology string) *docker.Provisioner {
	t.Helper()
	p := docker.New(nil)
	for _, need := range cluster.Topologies()[topology].Needs {
		if err := p.Serves(need); err != nil {
			if asked() {
				t.Fatalf("TORTURE_TEST_DOCKER is set: %v", err)
			}
			t.Skipf("%v; make test-docker starts an engine where it can", err)
		}
	}
	return p
}

// start starts a topology in containers. All must be gone afterwards.
func start(t *testing.T, topology string, clients int) *cluster.Cluster {
	t.Helper()
	dir := t.TempDir()
	began := time.Now()
	c, err := cluster.StartConfig(t.Context(), cluster.Config{
		Topology: topology, Provisioner: provisioner(t, topology), Clients: clients, Dir: dir,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is up after %v", topology, time.Since(began).Round(time.Millisecond))
	for _, n := range c.Nodes {
		t.Logf("%s: %s", n.Name(), n.Version())
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// full skips a test that make test has no time for.
func full(t *testing.T) {
	t.Helper()
	if !asked() {
		t.Skip("make test-docker runs it")
	}
}

func dial(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, ContextTimeoutEnabled: true})
	t.Cleanup(func() { c.Close() })
	return c
}

// TestEveryTopology starts each topology, and looks at what its nodes tell.
func TestEveryTopology(t *testing.T) {
	full(t)
	for name, topology := range cluster.Topologies() {
		if slices.ContainsFunc(topology.Needs, func(need string) bool {
			kind, _, _ := strings.Cut(need, ":")
			return !slices.Contains(docker.Servers(), kind)
		}) {
			continue // it is started as processes only
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c, err := cluster.StartConfig(t.Context(), cluster.Config{
				Topology: name, Provisioner: provisioner(t, name), Clients: 1, Dir: dir,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}()
			if len(c.Nodes) != topology.Nodes {
				t.Errorf("%d nodes, not %d", len(c.Nodes), topology.Nodes)
			}
			for _, n := range c.Nodes {
				t.Logf("%s: %s", n.Name(), n.Version())
				if v, _, _ := strings.Cut(n.Version(), ", image "); !strings.Contains(v, ".") {
					t.Errorf("%s tells no version: %q", n.Name(), n.Version())
				}
				logs, err := filepath.Glob(filepath.Join(dir, "nodes", n.Name(), "*.log"))
				if err != nil || len(logs) != 1 {
					t.Errorf("logs of %s: %v, %v", n.Name(), logs, err)
				}
			}
		})
	}
}

// TestKillAndRestart loses nothing that Redis had on disk, and all with wipe.
func TestKillAndRestart(t *testing.T) {
	c := start(t, "redis", 1)
	ctx, client := t.Context(), dial(t, c.Endpoints(1)[0])
	if err := client.Set(ctx, "k", "v", 0).Err(); err != nil {
		t.Fatal(err)
	}
	n := c.Nodes[0].(*docker.ClockedNode)
	for _, wipe := range []bool{false, true} {
		if err := n.Kill(ctx); err != nil {
			t.Fatal(err)
		}
		if err := n.Kill(ctx); !errors.Is(err, docker.ErrDown) {
			t.Errorf("a second kill: %v", err)
		}
		if err := client.Get(ctx, "k").Err(); err == nil {
			t.Error("a killed server answers")
		}
		if err := n.Start(ctx, wipe); err != nil {
			t.Fatal(err)
		}
		if err := n.Start(ctx, wipe); !errors.Is(err, docker.ErrUp) {
			t.Errorf("a second start: %v", err)
		}
		v, err := client.Get(ctx, "k").Result()
		if !wipe && v != "v" || wipe && !errors.Is(err, redis.Nil) {
			t.Errorf("after a start with wipe=%v: %q, %v", wipe, v, err)
		}
	}
}

// TestPause freezes a server, which answers afterwards, and kills one that is frozen.
func TestPause(t *testing.T) {
	c := start(t, "redis", 1)
	ctx, client := t.Context(), dial(t, c.Endpoints(0)[0])
	n := c.Nodes[0].(*docker.ClockedNode)
	if err := n.Resume(ctx); err != nil {
		t.Errorf("one that was never paused: %v", err)
	}
	if err := n.Pause(ctx); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() { answered <- client.Set(ctx, "k", "v", 0).Err() }()
	select {
	case err := <-answered:
		t.Fatalf("a frozen server answers: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := n.Resume(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	if err := n.Pause(ctx); err != nil {
		t.Fatal(err)
	}
	if err := n.Kill(ctx); err != nil {
		t.Fatal(err)
	}
	if err := n.Start(ctx, false); err != nil {
		t.Fatal(err)
	}
}

// TestClock moves the clock of one Redis of five: its keys expire, those of the others stay.
func TestClock(t *testing.T) {
	c := start(t, "redis-5", 1)
	ctx := t.Context()
	for i := range c.Nodes {
		if err := dial(t, c.Endpoints(1)[i]).Set(ctx, "k", "v", time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
	}
	n, ok := c.Nodes[2].(*docker.ClockedNode)
	if !ok {
		t.Fatal(c.Nodes[2].(*docker.Node).WhyNot("clock"))
	}
	if err := n.SkewClock(ctx, time.Hour, 1); err != nil {
		t.Fatal(err)
	}
	for i := range c.Nodes {
		err := dial(t, c.Endpoints(1)[i]).Get(ctx, "k").Err()
		if gone := errors.Is(err, redis.Nil); gone != (i == 2) {
			t.Errorf("%s: %v", c.Nodes[i].Name(), err)
		}
	}
	if err := n.SkewClock(ctx, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := n.Kill(ctx); err != nil {
		t.Fatal(err)
	}
	if err := n.SkewClock(ctx, time.Hour, 1); !errors.Is(err, docker.ErrDown) {
		t.Errorf("a clock of a server that is down: %v", err)
	}
}

// TestSentinelFailsOver cuts a link between containers, kills the primary and waits for the
// sentinels to promote a replica.
func TestSentinelFailsOver(t *testing.T) {
	c := start(t, "redis-sentinel", 1)
	link := c.Peer(0, 1)
	if link == nil {
		t.Fatal("no link from the primary to a replica")
	}
	if err := link.Slow(5*time.Millisecond, 0); err != nil {
		t.Fatal(err)
	}
	if err := link.Heal(); err != nil {
		t.Fatal(err)
	}
	old := c.Replicas.Primary()
	promoted, err := c.Replicas.Failover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if promoted == c.Nodes[old].Name() || c.Replicas.Primary() == old {
		t.Errorf("%s was promoted, the primary is still %d", promoted, old)
	}
	if !asked() {
		return // to bring the old primary back takes a while
	}
	if err := c.Replicas.Rejoin(t.Context()); err != nil {
		t.Fatal(err)
	}
}
