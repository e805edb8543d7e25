//go:build linux

package process_test

import (
	"context"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// Three etcd serve each client, elect again after their leader was killed, stopped or cut
// off by its links, and take each back.
func TestEtcd(t *testing.T) {
	c := start(t, cluster.Config{Topology: "etcd-3", Clients: 1})
	if len(c.Nodes) != 3 || c.Quorum != 2 || !strings.HasPrefix(c.Nodes[0].Version(), "etcd 3.") {
		t.Fatalf("%d nodes, quorum %d, version %q", len(c.Nodes), c.Quorum, c.Nodes[0].Version())
	}
	put(t, c, 0, "begin")
	node := func(i int) *process.Node { return c.Nodes[i].(*process.Node) }
	isolate := func(i int, disturb func(*cluster.Link) error) {
		for j := range c.Nodes {
			if i != j {
				must(t, disturb(c.Peer(i, j)))
				must(t, disturb(c.Peer(j, i)))
			}
		}
	}
	for _, fault := range []struct {
		name         string
		strike, heal func(leader int)
	}{
		{"kill", func(i int) { must(t, node(i).Kill(t.Context())) },
			func(i int) { must(t, node(i).Start(t.Context(), false)) }},
		{"pause", func(i int) { must(t, node(i).Pause(t.Context())) },
			func(i int) { must(t, node(i).Resume(t.Context())) }},
		{"isolate", func(i int) { isolate(i, (*cluster.Link).Cut) },
			func(i int) { isolate(i, (*cluster.Link).Heal) }},
		{"silence", func(i int) { // what the leader sends is lost, what is sent to it arrives
			for j := range c.Nodes {
				if i != j {
					must(t, c.Peer(i, j).Cut())
				}
			}
		}, func(i int) { isolate(i, (*cluster.Link).Heal) }},
	} {
		old := leader(t, c, -1)
		fault.strike(old)
		now := leader(t, c, old)
		if now == old {
			t.Errorf("%s: %d still leads", fault.name, old)
		}
		put(t, c, now, fault.name)
		fault.heal(old)
		put(t, c, old, fault.name+" healed")
	}
	for _, capability := range []string{"clock", "wipe"} {
		if node(0).WhyNot(capability) == "" {
			t.Errorf("no reason why there is no %s", capability)
		}
	}
	must(t, node(0).Kill(t.Context()))
	if err := node(0).Start(t.Context(), true); err == nil {
		t.Error("an etcd was started without its data")
	}
	must(t, node(0).Start(t.Context(), false))
}

// leader asks the nodes, but for one, until they agree on one that is not it.
func leader(t *testing.T, c *cluster.Cluster, but int) int {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		ids, votes := map[uint64]int{}, map[uint64]int{}
		for i := range c.Nodes {
			if i == but {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			s, err := client(t, c.Nodes[i].Addr()).Status(ctx, c.Nodes[i].Addr())
			cancel()
			if err == nil {
				ids[s.Header.MemberId] = i
				votes[s.Leader]++
			}
		}
		for id, n := range votes {
			if i, ok := ids[id]; ok && n == len(ids) && n >= 2 {
				return i
			}
		}
	}
	t.Fatal("no leader within 15 s")
	return -1
}

// put writes and reads back through client 1's link to a node, until it works.
func put(t *testing.T, c *cluster.Cluster, node int, value string) {
	t.Helper()
	e := client(t, c.Endpoints(1)[node])
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	for {
		try, stop := context.WithTimeout(ctx, time.Second)
		_, err := e.Put(try, "k", value)
		stop()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("put %q: %v", value, err)
		}
	}
	r, err := e.Get(ctx, "k")
	if err != nil || len(r.Kvs) != 1 || string(r.Kvs[0].Value) != value {
		t.Errorf("get: %v, %v; want %q", r, err, value)
	}
}

func client(t *testing.T, addr string) *clientv3.Client {
	t.Helper()
	e, err := clientv3.New(clientv3.Config{Endpoints: []string{addr}, DialTimeout: time.Second})
	must(t, err)
	t.Cleanup(func() { e.Close() })
	return e
}
