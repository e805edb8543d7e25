//go:build linux

package processtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// A paused server answers nobody and goes on where it was; a killed one
// refuses connections and comes back on its port, with its data or without.
func TestPauseKillStart(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis", Clients: 1})
	n := c.Nodes[0].(*process.ClockedNode)
	if !strings.HasPrefix(n.Version(), "redis ") {
		t.Errorf("version %q", n.Version())
	}
	r := dial(t, c.Endpoints(1)[0])
	must(t, r.Set(t.Context(), "k", "v", 0).Err())

	must(t, n.Pause(t.Context()))
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := dial(t, n.Addr()).Ping(short).Err(); err == nil {
		t.Error("a paused server answers")
	}
	must(t, n.Resume(t.Context()))
	wantValue(t, r, "k", "v")

	must(t, n.Pause(t.Context())) // a stopped process can be killed
	must(t, n.Kill(t.Context()))
	if err := dial(t, n.Addr()).Ping(t.Context()).Err(); err == nil {
		t.Error("a killed server answers")
	}
	for name, err := range map[string]error{
		"kill": n.Kill(t.Context()), "pause": n.Pause(t.Context()), "resume": n.Resume(t.Context()),
		"clock": n.SkewClock(t.Context(), time.Second, 1),
	} {
		if !errors.Is(err, process.ErrDown) {
			t.Errorf("%s of a killed server: %v", name, err)
		}
	}
	must(t, n.Start(t.Context(), false))
	wantValue(t, dial(t, c.Endpoints(1)[0]), "k", "v")
	if err := n.Start(t.Context(), false); !errors.Is(err, process.ErrUp) {
		t.Errorf("second start: %v", err)
	}
	must(t, n.Kill(t.Context()))
	must(t, n.Start(t.Context(), true))
	wantValue(t, dial(t, c.Endpoints(1)[0]), "k", "")
}

// Further arguments win over the topology's own: without persistence a kill
// loses everything.
func TestWithoutPersistence(t *testing.T) {
	c := start(t, cluster.Config{
		Topology: "redis", Args: map[string][]string{"redis": {"--appendonly", "no"}},
	})
	n := c.Nodes[0].(*process.ClockedNode)
	must(t, dial(t, n.Addr()).Set(t.Context(), "k", "v", 0).Err())
	must(t, n.Kill(t.Context()))
	must(t, n.Start(t.Context(), false))
	wantValue(t, dial(t, n.Addr()), "k", "")
}

// A moved clock outlives a kill, as that of a machine does, and can be put
// right while the server is down.
func TestClockOutlivesKill(t *testing.T) {
	c := start(t, cluster.Config{Topology: "redis"})
	n := c.Nodes[0].(*process.ClockedNode)
	must(t, n.SkewClock(t.Context(), time.Minute, 1))
	must(t, n.Kill(t.Context()))
	must(t, n.Start(t.Context(), false))
	if off := toldOffset(t, dial(t, n.Addr())); off < 59*time.Second {
		t.Errorf("after a restart the clock is ahead by %v", off)
	}
	must(t, n.Kill(t.Context()))
	must(t, n.SkewClock(t.Context(), 0, 1))
	must(t, n.Start(t.Context(), false))
	if off := toldOffset(t, dial(t, n.Addr())); off.Abs() > time.Second {
		t.Errorf("put right while down, the clock is ahead by %v", off)
	}
}

// Without a compiler everything works but the clock, and the node says why.
func TestNoCompiler(t *testing.T) {
	bin := t.TempDir()
	p := provisioner(t, "redis")
	server, err := findOnPath("redis-server")
	must(t, err)
	must(t, os.Symlink(server, filepath.Join(bin, "redis-server")))
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	c, err := cluster.Start(t.Context(), "redis", p, 0, "")
	must(t, err)
	defer c.Close()
	if _, ok := c.Nodes[0].(interface {
		SkewClock(context.Context, time.Duration, float64) error
	}); ok {
		t.Fatal("the clock can be moved without a compiler")
	}
	n := c.Nodes[0].(*process.Node)
	if why := n.WhyNot("clock"); !strings.Contains(why, "gcc") {
		t.Errorf("the clock cannot be moved because %q", why)
	}
	must(t, dial(t, n.Addr()).Ping(t.Context()).Err())
}

// A server that does not start is an error that shows its log, and leaves
// nothing behind.
func TestDoesNotStart(t *testing.T) {
	p := provisioner(t, "redis")
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	_, err := cluster.StartConfig(t.Context(), cluster.Config{
		Topology: "redis", Provisioner: p, Dir: t.TempDir(),
		Args: map[string][]string{"redis": {"--no-such-option", "1"}},
	})
	if err == nil || !strings.Contains(err.Error(), "no-such-option") {
		t.Errorf("error: %v", err)
	}
	nothingLeft(t, tmp)
}

// Counters move and logs are written where they should.
func TestCountersAndLogs(t *testing.T) {
	dir := t.TempDir()
	c, err := cluster.Start(t.Context(), "redis", provisioner(t, "redis"), 0, dir)
	must(t, err)
	defer c.Close()
	n := c.Nodes[0].(*process.ClockedNode)
	before, err := n.Commands(t.Context())
	must(t, err)
	must(t, dial(t, n.Addr()).Set(t.Context(), "k", strings.Repeat("x", 1<<20), 0).Err())
	after, err := n.Commands(t.Context())
	must(t, err)
	if after <= before {
		t.Errorf("%d commands, then %d", before, after)
	}
	if m, err := n.Memory(t.Context()); err != nil || m < 1<<20 {
		t.Errorf("memory %d, %v", m, err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "nodes", "redis-1", "redis.log"))
	if err != nil || !strings.Contains(string(log), "Ready to accept connections") {
		t.Errorf("log: %v\n%s", err, log)
	}
}
