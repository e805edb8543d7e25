//go:build linux

package processtest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// consensus are the topologies whose nodes elect a leader.
var consensus = []string{"etcd-3", "zookeeper-3", "consul-3"}

// leaderOf waits for a leader other than those who are out.
func leaderOf(t *testing.T, c *cluster.Cluster, out ...int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for {
		i, err := c.Leader(ctx)
		if err == nil && !slices.Contains(out, i) {
			return i
		}
		if ctx.Err() != nil {
			t.Fatalf("no leader but %v: %v, %v", out, i, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A cluster serves, tells its versions, and elects a new leader when the old
// one is killed, stopped or cut off; the old one comes back as a follower.
func TestLeader(t *testing.T) {
	for _, topology := range consensus {
		t.Run(topology, func(t *testing.T) {
			begin := time.Now()
			c := start(t, cluster.Config{Topology: topology, Clients: 1})
			t.Logf("%s, up after %v", c.Nodes[0].Version(), time.Since(begin))
			if len(c.Nodes) != 3 || c.Quorum != 2 || !c.HasLeader() || len(c.Endpoints(1)) != 3 {
				t.Fatalf("%d nodes, quorum %d, leader %v", len(c.Nodes), c.Quorum, c.HasLeader())
			}
			for _, way := range []struct {
				name       string
				strike, up func(i int) error
			}{
				{"killed", func(i int) error { return node(c, i).Kill(t.Context()) }, func(i int) error { return node(c, i).Start(t.Context(), false) }},
				{"stopped", func(i int) error { return node(c, i).Pause(t.Context()) }, func(i int) error { return node(c, i).Resume(t.Context()) }},
				{"cut off", func(i int) error { return peers(c, i, (*cluster.Link).Cut) }, func(i int) error { return peers(c, i, (*cluster.Link).Heal) }},
			} {
				old := leaderOf(t, c)
				begin := time.Now()
				if err := way.strike(old); err != nil {
					t.Fatal(err)
				}
				next := leaderOf(t, c, old)
				t.Logf("%s: %s after %s in %v", way.name, c.Nodes[next].Name(), c.Nodes[old].Name(), time.Since(begin))
				begin = time.Now()
				if err := way.up(old); err != nil {
					t.Fatalf("%s leader does not come back: %v", way.name, err)
				}
				t.Logf("%s: back in %v, %s leads", way.name, time.Since(begin), c.Nodes[leaderOf(t, c)].Name())
			}
			if err := node(c, 0).Kill(t.Context()); err != nil {
				t.Fatal(err)
			}
			// Consul's members cannot be replaced.
			if err := node(c, 0).Start(t.Context(), true); (err == nil) != (topology != "consul-3") {
				t.Errorf("started without its data: %v", err)
			}
			leaderOf(t, c)
		})
	}
}

func node(c *cluster.Cluster, i int) *process.Node { return c.Nodes[i].(*process.Node) }

// peers does something to all links of one node to the others.
func peers(c *cluster.Cluster, i int, do func(*cluster.Link) error) error {
	for j := range c.Nodes {
		if i == j {
			continue
		}
		for _, l := range []*cluster.Link{c.Peer(i, j), c.Peer(j, i)} {
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}
