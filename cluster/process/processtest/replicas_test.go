//go:build linux

package processtest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/cluster"
)

// Twice in a row: a write that the replicas have not got is lost by the
// fail-over, one that they have is kept, the endpoint stays the same, and the
// old primary comes back as a replica in sync.
func TestFailover(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-replicas", Clients: 2})
	endpoint := c.Endpoints(1)[0]
	for round := range 2 {
		r := dial(t, endpoint)
		must(t, r.Set(t.Context(), "kept", round, 0).Err())
		must(t, r.Set(t.Context(), "released", round, 0).Err())
		must(t, r.Do(t.Context(), "WAIT", 2, 5000).Err())
		old := c.Replicas.Primary()

		must(t, c.Replicas.CutReplicas(t.Context()))
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		must(t, r.Del(t.Context(), "released").Err())
		if err := c.Replicas.WaitWrite(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deletion was taken for a write: %v", err)
		}
		cancel()
		must(t, r.Set(t.Context(), "lost", round, 0).Err())
		must(t, c.Replicas.WaitWrite(t.Context()))
		promoted, err := c.Replicas.Failover(t.Context())
		must(t, err)
		now := c.Replicas.Primary()
		if now == old || promoted != c.Nodes[now].Name() || c.Endpoints(1)[0] != endpoint {
			t.Errorf("promoted %s, primary was %d and is %d", promoted, old, now)
		}
		fresh := dial(t, endpoint)
		wantValue(t, fresh, "lost", "")
		wantValue(t, fresh, "kept", string(rune('0'+round)))
		must(t, fresh.Set(t.Context(), "new", round, 0).Err())

		must(t, c.Replicas.Rejoin(t.Context()))
		for i, n := range c.Nodes {
			wantValue(t, dial(t, n.Addr()), "lost", "")
			role := dial(t, n.Addr()).Do(t.Context(), "ROLE").Val().([]any)[0]
			if want := map[bool]string{true: "master", false: "slave"}[i == now]; role != want {
				t.Errorf("%s is a %v, want %s", n.Name(), role, want)
			}
		}
		must(t, dial(t, endpoint).Del(t.Context(), "released", "new").Err())
	}
}

// A replica that is killed and started again finds its place, and so does a primary.
func TestReplicaRestarts(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-replicas", Clients: 1})
	r := dial(t, c.Endpoints(1)[0])
	must(t, r.Set(t.Context(), "k", "v", 0).Err())
	for i := range c.Nodes {
		n := c.Nodes[i].(interface {
			Kill(context.Context) error
			Start(context.Context, bool) error
		})
		must(t, n.Kill(t.Context()))
		must(t, n.Start(t.Context(), false))
	}
	must(t, c.Replicas.Rejoin(t.Context()))
	for _, n := range c.Nodes {
		wantValue(t, dial(t, n.Addr()), "k", "v")
	}
}

// One way between two nodes can be cut by itself: the other replica goes on.
func TestReplicaLink(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-replicas", Clients: 1})
	r := dial(t, c.Endpoints(1)[0])
	must(t, c.Peer(0, 1).Cut())
	must(t, r.Set(t.Context(), "k", "v", 0).Err())
	if n := r.Do(t.Context(), "WAIT", 2, 200).Val(); n != int64(1) {
		t.Errorf("%v replicas have the write, want 1", n)
	}
	wantValue(t, dial(t, c.Nodes[1].Addr()), "k", "")
	wantValue(t, dial(t, c.Nodes[2].Addr()), "k", "v")
	must(t, c.Peer(0, 1).Heal())
	must(t, c.Replicas.Rejoin(t.Context()))
	wantValue(t, dial(t, c.Nodes[1].Addr()), "k", "v")
	if c.Peer(0, 0) != nil || c.Peer(0, 3) != nil || c.Link(2, 0) != nil {
		t.Error("there is a link that cannot be")
	}
}
