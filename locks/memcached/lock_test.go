//go:build linux

package memcached_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/memcached"
)

// start starts a memcached and opens two clients.
func start(t *testing.T, ttl time.Duration) (c *cluster.Cluster, a, b *memcached.Lock) {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("memcached"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "memcached", p, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	open := func(client int) *memcached.Lock {
		l := memcached.New(memcached.Config{Addr: c.Endpoints(client)[0], TTL: ttl})
		t.Cleanup(func() { l.Close() })
		return l
	}
	return c, open(1), open(2)
}

func acquire(t *testing.T, l *memcached.Lock) locks.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// A restart of the server gives the lock to a second holder, and the release of
// the first leaves it alone.
func TestRestartGrantsTwice(t *testing.T) {
	c, a, b := start(t, time.Minute)
	l := acquire(t, a)
	node := c.Nodes[0].(*process.Node)
	if err := node.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := node.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	var next locks.Lease
	for next == nil { // connections from before the restart are used up
		next, _ = b.TryAcquire(t.Context(), "x")
		if t.Context().Err() != nil {
			t.Fatal("no grant after the restart")
		}
	}
	if left := time.Until(l.(locks.Bounded).Until()); left <= 0 {
		t.Errorf("the first lease was over %v before", -left)
	}
	for range 2 { // the first finds its connection broken
		if err := l.Release(t.Context()); err == nil {
			t.Error("the first holder released the lock of the second")
		}
	}
	if err := next.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// A TTL that leaves no validity is lengthened; the item goes up to two seconds before its expiry, and
// not before the end of the validity.
func TestValidity(t *testing.T) {
	_, a, b := start(t, time.Millisecond)
	for range 3 {
		begun := time.Now()
		l := acquire(t, a)
		until := l.(locks.Bounded).Until()
		if v := until.Sub(begun); v < time.Second || v > 1100*time.Millisecond {
			t.Errorf("valid for %v, want 1 s", v)
		}
		next := acquire(t, b)
		got := time.Now()
		t.Logf("an item of 3 s was gone after %v", got.Sub(begun).Round(time.Millisecond))
		if got.Before(until) {
			t.Errorf("granted %v before the end of the validity", until.Sub(got))
		}
		if err := l.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
			t.Errorf("release of an expired lease: %v, want ErrNotHeld", err)
		}
		if err := next.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
