//go:build linux

package processtest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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
	if why := node(0).WhyNot("replace"); why != "" {
		t.Errorf("it cannot be replaced: %s", why)
	}
	must(t, node(0).Kill(t.Context()))
	must(t, node(0).Start(t.Context(), true)) // as a new member
	put(t, c, 0, "replaced")
	must(t, node(0).Kill(t.Context()))
	must(t, node(0).Start(t.Context(), false))
	put(t, c, 0, "with its data")
}

// leader asks the nodes, but for one, until they agree on one that is not it.
func leader(t *testing.T, c *cluster.Cluster, but int) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		ids, votes := map[string]int{}, map[string]int{}
		for i := range c.Nodes {
			if i == but {
				continue
			}
			var s struct {
				Header struct {
					Member string `json:"member_id"`
				}
				Leader string
			}
			if err := etcd(t, 500*time.Millisecond, c.Nodes[i].Addr(), "maintenance/status", struct{}{}, &s); err == nil {
				ids[s.Header.Member] = i
				votes[s.Leader]++
			}
		}
		for id, n := range votes {
			if i, ok := ids[id]; ok && n == len(ids) && n >= 2 {
				return i
			}
		}
	}
	t.Fatal("no leader within a minute")
	return -1
}

// put writes and reads back through client 1's link to a node, until it works.
func put(t *testing.T, c *cluster.Cluster, node int, value string) {
	t.Helper()
	addr := c.Endpoints(1)[node]
	key := map[string]any{"key": []byte("k")} // in JSON its bytes are in base64
	pair := map[string]any{"key": []byte("k"), "value": []byte(value)}
	for deadline := time.Now().Add(time.Minute); ; {
		err := etcd(t, time.Second, addr, "kv/put", pair, new(struct{}))
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("put %q: %v", value, err)
		}
	}
	var r struct{ Kvs []struct{ Value []byte } }
	if err := etcd(t, 15*time.Second, addr, "kv/range", key, &r); err != nil || len(r.Kvs) != 1 || string(r.Kvs[0].Value) != value {
		t.Errorf("get: %v, %v; want %q", r, err, value)
	}
}

// etcd calls a method of an etcd in JSON, over a connection of its own.
func etcd(t *testing.T, limit time.Duration, addr, method string, request, reply any) error {
	t.Helper()
	body, err := json.Marshal(request)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v3/"+method, bytes.NewReader(body))
	must(t, err)
	web := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := web.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", method, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(reply)
}
