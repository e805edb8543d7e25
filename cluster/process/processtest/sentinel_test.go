//go:build linux

package processtest_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// routesOf splits the endpoints of a client into kind, the address that servers tell,
// and its own link.
func routesOf(t *testing.T, c *cluster.Cluster, client int) (kinds []string, links map[string]string) {
	t.Helper()
	links = map[string]string{}
	for _, e := range c.Endpoints(client) {
		kind, rest, ok := strings.Cut(e, "@")
		announced, link, ok2 := strings.Cut(rest, "=")
		if !ok || !ok2 {
			t.Fatalf("endpoint %q is no route", e)
		}
		kinds = append(kinds, kind)
		links[announced] = link
	}
	return kinds, links
}

// Twice in a row: the sentinels promote a replica that lacks the last write, and
// the old primary comes back as a replica in sync.
func TestSentinelFailover(t *testing.T) {
	begin := time.Now()
	c := start(t, cluster.Config{Topology: "redis-sentinel", Clients: 1})
	t.Logf("%s, up after %v", c.Nodes[5].Version(), time.Since(begin))
	kinds, links := routesOf(t, c, 1)
	if len(c.Nodes) != 6 || strings.Join(kinds, " ") != "redis redis redis sentinel sentinel sentinel" || len(links) != 6 {
		t.Fatalf("%d nodes, endpoints %v", len(c.Nodes), c.Endpoints(1))
	}
	for round := range 2 {
		old := c.Replicas.Primary()
		r := dial(t, c.Nodes[old].Addr())
		must(t, r.Set(t.Context(), "kept", round, 0).Err())
		must(t, r.Do(t.Context(), "WAIT", 2, 5000).Err())
		must(t, c.Replicas.CutReplicas(t.Context()))
		must(t, r.Set(t.Context(), "lost", round, 0).Err())
		must(t, c.Replicas.WaitWrite(t.Context()))
		begin := time.Now()
		promoted, err := c.Replicas.Failover(t.Context())
		must(t, err)
		t.Logf("%s promoted after %v", promoted, time.Since(begin))
		now := c.Replicas.Primary()
		if now == old || promoted != c.Nodes[now].Name() {
			t.Errorf("promoted %s, primary was %d and is %d", promoted, old, now)
		}
		fresh := dial(t, c.Nodes[now].Addr())
		wantValue(t, fresh, "lost", "")
		wantValue(t, fresh, "kept", string(rune('0'+round)))
		must(t, c.Replicas.Rejoin(t.Context()))
		wantRoles(t, c.Nodes[:3], c.Replicas.Primary())
		told(t, c, c.Replicas.Primary())
	}
}

// wantRoles fails unless one Redis is the primary and the others are replicas.
func wantRoles(t *testing.T, nodes []cluster.Node, primary int) {
	t.Helper()
	for i, n := range nodes {
		role := dial(t, n.Addr()).Do(t.Context(), "ROLE").Val().([]any)[0]
		if want := map[bool]string{true: "master", false: "slave"}[i == primary]; role != want {
			t.Errorf("%s is a %v, want %s", n.Name(), role, want)
		}
	}
}

// told fails unless every sentinel, asked through the client's own links, names the
// primary, by an address for which the client has a link.
func told(t *testing.T, c *cluster.Cluster, primary int) {
	t.Helper()
	_, links := routesOf(t, c, 1)
	for i := 3; i < 6; i++ {
		s := redis.NewSentinelClient(&redis.Options{Addr: c.Link(1, i).Addr(), DisableIdentity: true})
		t.Cleanup(func() { s.Close() })
		a, err := s.GetMasterAddrByName(t.Context(), "torture").Result()
		must(t, err)
		if link := links[strings.Join(a, ":")]; link != c.Link(1, primary).Addr() {
			t.Errorf("%s sends clients to %v, which is %q, not %s", c.Nodes[i].Name(), a, link, c.Nodes[primary].Name())
		}
	}
}

// server returns a node as a Redis server, whose clock can be moved.
func server(c *cluster.Cluster, i int) *process.ClockedNode { return c.Nodes[i].(*process.ClockedNode) }

// A primary that is killed by itself, stopped, or cut off from all other servers
// is replaced as well, and is a replica when it is back.
func TestSentinelPromotes(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-sentinel", Clients: 1})
	for _, way := range []struct {
		name       string
		strike, up func(i int) error
	}{
		{"killed", func(i int) error { return server(c, i).Kill(t.Context()) }, func(i int) error { return server(c, i).Start(t.Context(), false) }},
		{"stopped", func(i int) error { return server(c, i).Pause(t.Context()) }, func(i int) error { return server(c, i).Resume(t.Context()) }},
		{"cut off", func(i int) error { return peers(c, i, (*cluster.Link).Cut) }, func(i int) error { return peers(c, i, (*cluster.Link).Heal) }},
	} {
		old := c.Replicas.Primary()
		begin := time.Now()
		must(t, way.strike(old))
		eventually(t, "another primary", func() bool { return c.Replicas.Primary() != old })
		t.Logf("%s: another primary after %v", way.name, time.Since(begin))
		must(t, way.up(old))
		must(t, c.Replicas.Rejoin(t.Context()))
		wantRoles(t, c.Nodes[:3], c.Replicas.Primary())
	}
	// Neither a sentinel without its data nor one whose clock jumps, and which trusts
	// nothing for half a minute then, is in the way.
	last := server(c, 5)
	must(t, last.Kill(t.Context()))
	must(t, last.Start(t.Context(), true))
	must(t, last.SkewClock(t.Context(), time.Second, 1))
	must(t, last.SkewClock(t.Context(), 0, 1))
	must(t, c.Replicas.Rejoin(t.Context()))
}

// eventually waits for something that must come.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for ; !ok(); time.Sleep(5 * time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("never seen: %s", what)
		}
	}
}
