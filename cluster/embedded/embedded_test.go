package embedded_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/embedded"
)

func TestVersion(t *testing.T) {
	n := node(t, start(t, "redis"), 0)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "github.com/alicebob/miniredis/v2").Output()
	must(t, err)
	if got, want := n.Version(), "miniredis "+strings.TrimSpace(string(out)); got != want {
		t.Errorf("version %q, go.mod has %q", got, want)
	}
	if n.WhyNot("pause") == "" {
		t.Error("no reason why it cannot be paused")
	}
}

// Five nodes have five data sets and five clocks. A jump ahead ends a live
// lease; a jump back lengthens it, as the time of its end is what Redis stores.
func TestFiveClocks(t *testing.T) {
	c := start(t, "redis-5")
	if len(c.Nodes) != 5 || c.Quorum != 3 {
		t.Fatalf("%d nodes, quorum %d; want 5, 3", len(c.Nodes), c.Quorum)
	}
	for i, addr := range c.Endpoints(1) {
		r := dial(t, addr)
		must(t, r.Set(t.Context(), "lease", i, 30*time.Second).Err())
		must(t, r.Set(t.Context(), "long", i, 2*time.Hour).Err())
	}
	n, r := node(t, c, 2), dial(t, c.Endpoints(1)[2])
	must(t, n.SkewClock(t.Context(), time.Minute, 1))
	if err := r.Get(t.Context(), "lease").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("the lease outlived the jump: %v", err)
	}
	wantLife(t, r, "long", 2*time.Hour-time.Minute)
	other := dial(t, c.Endpoints(1)[1])
	if v := other.Get(t.Context(), "lease").Val(); v != "1" {
		t.Errorf("another node's lease is %q", v)
	}
	if off := ahead(t, other); off.Abs() > time.Second {
		t.Errorf("another node's clock is off by %v", off)
	}
	must(t, n.SkewClock(t.Context(), -time.Minute, 1))
	if off := ahead(t, r); (off + time.Minute).Abs() > time.Second {
		t.Errorf("the clock is ahead by %v", off)
	}
	wantLife(t, r, "long", 2*time.Hour+time.Minute)
	must(t, n.SkewClock(t.Context(), 0, 1))
	wantLife(t, r, "long", 2*time.Hour)
	if off := ahead(t, r); off.Abs() > time.Second {
		t.Errorf("put right, the clock is ahead by %v", off)
	}
}

// At rate 1000 a lease of 30 s is over in 30 ms.
func TestRate(t *testing.T) {
	c := start(t, "redis")
	r := dial(t, c.Endpoints(1)[0])
	must(t, r.Set(t.Context(), "lease", 1, 30*time.Second).Err())
	must(t, node(t, c, 0).SkewClock(t.Context(), 0, 1000))
	deadline := time.Now().Add(20 * time.Second)
	for r.Exists(t.Context(), "lease").Val() == 1 {
		if time.Now().After(deadline) {
			t.Fatal("the lease lives for 20 s at rate 1000")
		}
	}
	if err := node(t, c, 0).SkewClock(t.Context(), 0, 0); err == nil {
		t.Error("rate 0 was taken")
	}
}

// A killed node refuses connections and breaks those it had; started again it
// has its data, its address and its clock, or no data if it is wiped.
func TestKillAndStart(t *testing.T) {
	c := start(t, "redis")
	n, r := node(t, c, 0), dial(t, c.Endpoints(1)[0])
	must(t, r.Set(t.Context(), "k", "v", 0).Err())
	must(t, n.SkewClock(t.Context(), time.Hour, 1))
	must(t, n.Kill(t.Context()))
	if err := r.Ping(t.Context()).Err(); err == nil {
		t.Error("a killed node answers")
	}
	if err := n.Kill(t.Context()); !errors.Is(err, embedded.ErrDown) {
		t.Errorf("second kill: %v", err)
	}
	must(t, n.Start(t.Context(), false))
	if err := n.Start(t.Context(), false); !errors.Is(err, embedded.ErrUp) {
		t.Errorf("second start: %v", err)
	}
	if v := r.Get(t.Context(), "k").Val(); v != "v" {
		t.Errorf("after a restart the value is %q", v)
	}
	if off := ahead(t, r); off < 59*time.Minute {
		t.Errorf("after a restart the clock is ahead by %v", off)
	}
	must(t, n.Kill(t.Context()))
	must(t, n.SkewClock(t.Context(), 0, 1)) // heals also while it is down
	must(t, n.Start(t.Context(), true))
	if keys := r.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("after a wipe there is %v", keys)
	}
	if off := ahead(t, r); off.Abs() > time.Second {
		t.Errorf("put right while down, the clock is ahead by %v", off)
	}
}

// What cannot be embedded is refused with the reason.
func TestRefused(t *testing.T) {
	for _, topology := range []string{"redis-replicas", "etcd-3"} {
		if c, err := cluster.Start(t.Context(), topology, embedded.Provisioner{}, 1, ""); err == nil {
			c.Close()
			t.Errorf("%s was embedded", topology)
		}
	}
}

func start(t *testing.T, topology string) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), topology, embedded.Provisioner{}, 1, "")
	must(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func node(t *testing.T, c *cluster.Cluster, i int) *embedded.Node {
	t.Helper()
	return c.Nodes[i].(*embedded.Node)
}

func dial(t *testing.T, addr string) *redis.Client {
	t.Helper()
	r := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, Protocol: 2})
	t.Cleanup(func() { r.Close() })
	return r
}

func ahead(t *testing.T, r *redis.Client) time.Duration {
	t.Helper()
	told, err := r.Time(t.Context()).Result()
	must(t, err)
	return time.Until(told)
}

func wantLife(t *testing.T, r *redis.Client, key string, want time.Duration) {
	t.Helper()
	got, err := r.PTTL(t.Context(), key).Result()
	must(t, err)
	if (got - want).Abs() > 5*time.Second {
		t.Errorf("%s lives for %v, want %v", key, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
