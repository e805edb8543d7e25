//go:build linux

package consul_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/consul"
)

func start(t *testing.T, clients int) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("consul"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "consul-3", p, clients, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func open(t *testing.T, c *cluster.Cluster, client int, ttl, delay time.Duration) *consul.Lock {
	l := consul.New(consul.Config{Endpoints: c.Endpoints(client), TTL: ttl, LockDelay: delay, Owner: fmt.Sprint("p", client)})
	t.Cleanup(func() { l.Close() })
	return l
}

func acquire(t *testing.T, l locks.Locker, name string) locks.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// onLinks cuts or heals all links of client 1.
func onLinks(t *testing.T, c *cluster.Cluster, do func(*cluster.Link) error) {
	t.Helper()
	for n := range c.Nodes {
		if err := do(c.Link(1, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// The loss of a holder that is cut off from all servers is told before another
// client gets the lock, and so even without a lock-delay to speak of.
func TestLossBeforeGrant(t *testing.T) {
	c := start(t, 2)
	a, b := open(t, c, 1, 3*time.Second, time.Millisecond), open(t, c, 2, 3*time.Second, time.Millisecond)
	held := acquire(t, a, "lock")
	onLinks(t, c, (*cluster.Link).Cut)
	begin := time.Now()
	acquire(t, b, "lock")
	t.Logf("another client has the lock after %v", time.Since(begin))
	select {
	case <-held.(locks.Watched).Lost():
	default:
		t.Error("another client has the lock and its former holder does not know")
	}
	onLinks(t, c, (*cluster.Link).Heal)
	// The servers say so, or have not been reached in time to be asked.
	if err := held.Release(t.Context()); err == nil {
		t.Error("release of a lost lease: success, want ErrNotHeld")
	} else {
		t.Log(err)
	}
}

// A release that is answered only after another client has acquired the lock is no success.
func TestReleaseInDoubt(t *testing.T) {
	c := start(t, 2)
	a, b := open(t, c, 1, 3*time.Second, time.Millisecond), open(t, c, 2, 3*time.Second, time.Millisecond)
	held := acquire(t, a, "lock")
	onLinks(t, c, (*cluster.Link).Cut)
	released := make(chan error, 1)
	go func() { released <- held.Release(t.Context()) }()
	acquire(t, b, "lock")
	onLinks(t, c, (*cluster.Link).Heal)
	if err := <-released; err == nil {
		t.Error("release that no server received before the session expired: success, want an error")
	} else {
		t.Log(err)
	}
}

// A lease survives a leader that is killed, and waiters of one client take turns.
func TestLeaderGoes(t *testing.T) {
	c := start(t, 2)
	a, b := open(t, c, 1, 20*time.Second, time.Second), open(t, c, 2, 20*time.Second, time.Second)
	held := acquire(t, a, "lock")
	if _, err := b.TryAcquire(t.Context(), "lock"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("another client's try: %v, want ErrNotAcquired", err)
	}
	again := make(chan error, 1)
	go func() { // Consul would grant it to the session that has it
		l, err := a.Acquire(t.Context(), "lock")
		if err == nil && l.(locks.Fenced).Token() <= held.(locks.Fenced).Token() {
			err = errors.New("token did not grow")
		}
		again <- err
	}()
	i, err := c.Leader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Nodes[i].(*process.Node).Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	other := acquire(t, b, "other lock") // that it is served again
	t.Logf("served again %v after the leader was killed", time.Since(begin))
	if err := other.Release(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case <-held.(locks.Watched).Lost():
		t.Error("the lease was lost with the leader")
	case err := <-again:
		t.Errorf("a second call of the same client returned (%v) while the lock is held", err)
	default:
	}
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-again; err != nil {
		t.Error(err)
	}
}
