//go:build linux

package processtest_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// A redis-5 cluster serves each client through links of its own, tells its
// version, and its clocks move one by one.
func TestFive(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis-5", Clients: 2})
	if len(c.Nodes) != 5 || c.Quorum != 3 {
		t.Fatalf("%d nodes, quorum %d; want 5, 3", len(c.Nodes), c.Quorum)
	}
	for client := 0; client <= 2; client++ {
		for i, addr := range c.Endpoints(client) {
			if err := dial(t, addr).Set(t.Context(), "k", i, 0).Err(); err != nil {
				t.Errorf("client %d, node %d: %v", client, i, err)
			}
		}
	}
	node := c.Nodes[2].(*process.ClockedNode)
	direct := dial(t, node.Addr())
	if err := direct.Set(t.Context(), "lease", "1", 30*time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		offset time.Duration
		rate   float64
	}{{time.Minute, 1}, {-time.Minute, 1}, {0, 1.5}, {time.Second, 0.5}, {0, 1}} {
		if err := node.SkewClock(t.Context(), step.offset, step.rate); err != nil {
			t.Fatalf("%+v: %v", step, err)
		}
		if step.offset == time.Minute {
			wantValue(t, direct, "lease", "")
		}
		if off := toldOffset(t, dial(t, c.Nodes[1].Addr())); off.Abs() > 50*time.Millisecond {
			t.Errorf("%+v moved another node by %v", step, off)
		}
	}
	if err := direct.Set(t.Context(), "lease", "2", 30*time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	wantValue(t, direct, "lease", "2")
	if off := toldOffset(t, direct); off.Abs() > 50*time.Millisecond {
		t.Errorf("after it was put right the clock is off by %v", off)
	}
}

// toldOffset returns how far a server's clock is ahead of ours.
func toldOffset(t *testing.T, c *redis.Client) time.Duration {
	t.Helper()
	told, err := c.Time(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return time.Until(told)
}
