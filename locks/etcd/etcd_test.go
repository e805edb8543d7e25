//go:build linux

package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/etcd"
)

func start(t *testing.T, clients int) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("etcd"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "etcd-3", p, clients, t.TempDir())
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

func open(t *testing.T, c *cluster.Cluster, client int, ttl time.Duration) *etcd.Lock {
	t.Helper()
	l, err := etcd.New(etcd.Config{Endpoints: c.Endpoints(client), TTL: ttl, Owner: fmt.Sprint("p", client)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func acquire(t *testing.T, l locks.Locker, name string) locks.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// The loss of a holder that is cut off from all servers is told before another
// client gets the lock.
func TestLossBeforeGrant(t *testing.T) {
	c := start(t, 2)
	a, b := open(t, c, 1, time.Second), open(t, c, 2, time.Second)
	held := acquire(t, a, "lock")
	for n := range c.Nodes {
		if err := c.Link(1, n).Cut(); err != nil {
			t.Fatal(err)
		}
	}
	acquire(t, b, "lock")
	select {
	case <-held.(locks.Watched).Lost():
	default:
		t.Error("another client has the lock and its former holder does not know")
	}
	if err := held.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("release of a lost lease: %v, want ErrNotHeld", err)
	}
}

// A lease survives a leader that is stopped, and a waiter whose server goes
// silent gets the lock all the same.
func TestLeaderGoes(t *testing.T) {
	c := start(t, 3)
	a, b := open(t, c, 1, 5*time.Second), open(t, c, 2, 5*time.Second)
	held := acquire(t, a, "lock")
	waiter := make(chan error, 1)
	go func() {
		_, err := open(t, c, 3, 5*time.Second).Acquire(t.Context(), "lock")
		waiter <- err
	}()
	i, err := c.Leader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Nodes[i].(*process.Node).Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	other := acquire(t, b, "other lock") // that it is served again
	t.Logf("served again %v after the leader was stopped", time.Since(begin))
	if err := other.Release(t.Context()); err != nil {
		t.Error(err)
	}
	select {
	case <-held.(locks.Watched).Lost():
		t.Error("the lease was lost with the leader")
	default:
	}
	begin = time.Now()
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-waiter; err != nil {
		t.Error(err)
	}
	t.Logf("handed over in %v", time.Since(begin))
}

// The caller of the server's lock service gives its lease no second life: it
// is over after its TTL, and another client gets the lock.
func TestAPIDoesNotRenew(t *testing.T) {
	c := start(t, 2)
	var clients []*etcd.API
	for i := 1; i <= 2; i++ {
		l, err := etcd.NewAPI(etcd.Config{Endpoints: c.Endpoints(i), TTL: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		clients = append(clients, l)
	}
	held := acquire(t, clients[0], "lock")
	acquire(t, clients[1], "lock")
	if left := time.Until(held.(locks.Bounded).Until()); left > 0 {
		t.Errorf("another client has the lock %v before the end of the lease", left)
	}
	if err := held.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("release after the end of the lease: %v, want ErrNotHeld", err)
	}
}

// A key's name is used again: each name that there ever was stays in etcd's index, which every
// reading of the queue passes. Two keys that are there at the same time have two names.
func TestNamesAreUsedAgain(t *testing.T) {
	c := start(t, 1)
	a := open(t, c, 1, 20*time.Second)
	for range 20 {
		if err := acquire(t, a, "lock").Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	held := acquire(t, a, "lock")
	if _, err := a.TryAcquire(t.Context(), "lock"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("a second call of the same client: %v, want ErrNotAcquired", err)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	direct, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	puts, names := 0, map[string]bool{}
	for r := range direct.Watch(ctx, "lock/lock/", clientv3.WithPrefix(), clientv3.WithRev(1), clientv3.WithFilterDelete()) {
		for _, e := range r.Events {
			puts++
			names[string(e.Kv.Key)] = true
		}
		if puts >= 22 {
			break
		}
	}
	if puts != 22 || len(names) != 2 {
		t.Errorf("%d keys with %d names, want 22 with 2", puts, len(names))
	}
}
