//go:build linux

package processtest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// newProvisioner finds the servers that "make servers" has put in place.
func newProvisioner() *process.Provisioner {
	return process.New(filepath.Join("..", "..", "..", "bin", "servers"))
}

// provisioner fails the test if a server is missing.
func provisioner(t *testing.T, topology string) *process.Provisioner {
	t.Helper()
	p := newProvisioner()
	for _, need := range cluster.Topologies()[topology].Needs {
		if err := p.Serves(need); err != nil {
			t.Fatalf("make servers first: %v", err)
		}
	}
	return p
}

// start starts a cluster that leaves nothing behind, or the test fails.
func start(t *testing.T, cfg cluster.Config) *cluster.Cluster {
	t.Helper()
	cfg.Provisioner = provisioner(t, cfg.Topology)
	cfg.Dir = t.TempDir()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	c, err := cluster.StartConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		nothingLeft(t, tmp)
	})
	return c
}

// nothingLeft fails if a file is left below dir, or a process that was told
// to work there.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
	for _, pid := range using(t, dir) {
		t.Errorf("left behind: process %s", pid)
	}
}

// using returns the processes whose working directory is below dir.
func using(t *testing.T, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, l := range links {
		if cwd, err := os.Readlink(l); err == nil && strings.HasPrefix(cwd, dir) {
			pids = append(pids, filepath.Base(filepath.Dir(l)))
		}
	}
	return pids
}

// dial connects to a Redis.
func dial(t *testing.T, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DisableIdentity: true, ContextTimeoutEnabled: true})
	t.Cleanup(func() { c.Close() })
	return c
}

// wantValue compares the value of a key; "" is none.
func wantValue(t *testing.T, c *redis.Client, key, want string) {
	t.Helper()
	got, err := c.Get(t.Context(), key).Result()
	if err != nil && !errors.Is(err, redis.Nil) || got != want {
		t.Errorf("%s is %q (%v), want %q", key, got, err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func findOnPath(name string) (string, error) { return exec.LookPath(name) }
