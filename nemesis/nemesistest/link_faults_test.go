package nemesistest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

func TestLatency(t *testing.T) {
	c, w := serve(t, "redis-5", 2)
	s := nemesis.Step{Nodes: []int{0, 1, 2}, Delay: 30 * ms, Jitter: 10 * ms}
	heal := nemesistest.Inject(t, w, nemesis.Latency{}, s, "redis-1, redis-2, redis-3 delayed by 30ms ± 10ms")
	for client := 1; client <= 2; client++ {
		for node, addr := range c.Endpoints(client) {
			if node >= 3 {
				quick(t, "beside the slow links", addr)
				continue
			}
			if took, err := ping(t, addr, nemesistest.Patience); err != nil || took < 39*ms {
				t.Errorf("client %d, node %d: a round trip takes %v (%v)", client, node, took, err)
			}
		}
	}
	heal()
	for _, addr := range c.Endpoints(1) {
		quick(t, "healed", addr)
	}
}

// The greeting of a server, which crosses a link once, is not taken for an answer.
func TestLatencyOfAGreeter(t *testing.T) {
	_, w := serve(t, "nats-3", 1)
	heal := nemesistest.Inject(t, w, nemesis.Latency{}, nemesis.Step{Nodes: []int{0}, Delay: 60 * ms, Jitter: 10 * ms}, "nats-1 delayed by 60ms ± 10ms")
	heal()
}

func TestPartitionOfClients(t *testing.T) {
	c, w := serve(t, "redis-5", 2)
	s := nemesis.Step{Mode: nemesis.PartitionClients, Clients: []int{1}, Nodes: []int{0, 1, 4}}
	heal := nemesistest.Inject(t, w, nemesis.Partition{}, s, "redis-1, redis-2, redis-5 cut from clients [1]")
	works(t, "client 1 to redis-1", c.Endpoints(1)[0], false)
	works(t, "client 1 to redis-5", c.Endpoints(1)[4], false)
	works(t, "client 1 to redis-3", c.Endpoints(1)[2], true)
	works(t, "client 2 to redis-1", c.Endpoints(2)[0], true)
	heal()
	for _, addr := range c.Endpoints(1) {
		works(t, "healed", addr, true)
	}
}

// Where the answers alone are lost, what a client asks for is done.
func TestPartitionOfReplies(t *testing.T) {
	c, w := serve(t, "redis", 1)
	client, direct := dial(t, c.Endpoints(1)[0]), dial(t, c.Nodes[0].Addr())
	set(t, client, "key", "old", 0) // there is a connection
	s := nemesis.Step{Mode: nemesis.PartitionClients, Nodes: []int{0}, Direction: nemesis.Replies}
	heal := nemesistest.Inject(t, w, nemesis.Partition{}, s, "the answers of redis-1 to all clients are lost")
	limit, cancel := context.WithTimeout(t.Context(), nemesistest.Patience)
	defer cancel()
	if err := client.Set(limit, "key", "new", 0).Err(); err == nil {
		t.Error("an answer came")
	}
	until(t, "the request is carried out", nemesistest.Patience, func() bool { return get(t, direct, "key") == "new" })
	heal()
	works(t, "healed", c.Endpoints(1)[0], true)
}

// A link whose cut has no effect makes the inject fail, and nothing is left behind.
func TestPartitionWithoutEffect(t *testing.T) {
	c, w := serve(t, "redis", 1)
	real := w.Link(1, 0)
	w.Link = func(int, int) nemesis.Link { return &deafLink{Link: real} }
	ctx, cancel := nemesistest.Short()
	defer cancel()
	s := nemesis.Step{Mode: nemesis.PartitionClients, Nodes: []int{0}}
	if _, _, err := (nemesis.Partition{}).Inject(ctx, w, s); err == nil {
		t.Error("a cut that cuts nothing counts as a fault")
	} else {
		t.Log(err)
	}
	if _, _, err := (nemesis.Latency{}).Inject(ctx, w, nemesis.Step{Nodes: []int{0}, Delay: 50 * ms}); err == nil {
		t.Error("a delay that delays nothing counts as a fault")
	} else {
		t.Log(err)
	}
	works(t, "after it", c.Endpoints(1)[0], true)
}

// A deafLink claims to be disturbed and is not.
type deafLink struct{ nemesis.Link }

func (*deafLink) Cut() error                              { return nil }
func (*deafLink) Slow(time.Duration, time.Duration) error { return nil }

func TestHoldMessage(t *testing.T) {
	c, w := serve(t, "redis", 2)
	w.TTL = nemesistest.Patience // for which the message is waited for
	direct := dial(t, c.Nodes[0].Addr())
	for _, direction := range []nemesis.Direction{nemesis.Requests, nemesis.Replies} {
		t.Run(direction, func(t *testing.T) {
			set(t, direct, "key", "old", 0)
			client := dial(t, c.Endpoints(1)[0])
			if err := client.Ping(t.Context()).Err(); err != nil { // connected before the hold
				t.Fatal(err)
			}
			armed, sent := make(chan struct{}), make(chan error, 1)
			w.Link = func(client, node int) nemesis.Link { return &armedLink{c.Link(client, node), armed} }
			go func() {
				<-armed
				sent <- client.Set(t.Context(), "key", "new", 0).Err()
			}()
			s := nemesis.Step{Mode: nemesis.HoldMessage, Clients: []int{1}, Nodes: []int{0}, Direction: direction}
			heal := nemesistest.Inject(t, w, nemesis.Hold{}, s, "held back "+direction)
			works(t, "another connection of the same client", c.Endpoints(1)[0], true)
			want := map[nemesis.Direction]string{nemesis.Requests: "old", nemesis.Replies: "new"}[direction]
			if got := get(t, direct, "key"); got != want {
				t.Errorf("while %s are held the key is %q, want %q", direction, got, want)
			}
			select {
			case err := <-sent:
				t.Errorf("held and answered: %v", err)
			default:
			}
			heal()
			if err := <-sent; err != nil {
				t.Errorf("let go: %v", err)
			}
			if got := get(t, direct, "key"); got != "new" {
				t.Errorf("let go, the key is %q", got)
			}
		})
	}
}

// An armedLink tells when it has been told to hold.
type armedLink struct {
	nemesis.Link
	armed chan struct{}
}

func (l *armedLink) Hold(d nemesis.Direction) error {
	defer close(l.armed)
	return l.Link.Hold(d)
}

func TestHoldWithoutVictim(t *testing.T) {
	c, w := serve(t, "redis", 1)
	ctx, cancel := nemesistest.Short()
	defer cancel()
	s := nemesis.Step{Mode: nemesis.HoldMessage, Clients: []int{1}, Nodes: []int{0}, Direction: nemesis.Requests}
	_, _, err := nemesis.Hold{Bound: nemesis.Span{Most: 0.1}}.Inject(ctx, w, s)
	if !errors.Is(err, nemesis.ErrNotStruck) {
		t.Errorf("error %v, want ErrNotStruck", err)
	}
	works(t, "after it", c.Endpoints(1)[0], true)
}

// Nodes that are cut from each other: the one that is alone cannot serve, the
// other two can.
func TestPartitionOfNodes(t *testing.T) {
	c, w := serve(t, "etcd-3", 1)
	healthyAre(t, c, true, true, true)
	for _, s := range []nemesis.Step{
		{Mode: nemesis.PartitionNodes, Nodes: []int{0}},
		{Mode: nemesis.PartitionAsymmetric, Nodes: []int{1}, Direction: nemesis.Requests},
		{Mode: nemesis.PartitionAsymmetric, Nodes: []int{2}, Direction: nemesis.Replies},
	} {
		heal := nemesistest.Inject(t, w, nemesis.Partition{}, s, "etcd-")
		want := []bool{true, true, true}
		want[s.Nodes[0]] = false
		healthyAre(t, c, want...)
		heal()
		healthyAre(t, c, true, true, true)
	}
}

// healthyAre waits until the etcd nodes that can serve are those and no others.
func healthyAre(t *testing.T, c *cluster.Cluster, want ...bool) {
	t.Helper()
	for i, n := range c.Nodes {
		until(t, n.Name()+" healthy or not", nemesistest.Patience, func() bool {
			return healthy(t, n.Addr()) == want[i]
		})
	}
}

// healthy asks etcd whether it can serve a read that needs a quorum.
func healthy(t *testing.T, addr string) bool {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	var h struct {
		Health string `json:"health"`
	}
	return json.NewDecoder(resp.Body).Decode(&h) == nil && h.Health == "true"
}
