package thirdparty_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/thirdparty"
)

func start(t *testing.T) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("etcd"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "etcd-3", p, 2, t.TempDir())
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

func open(t *testing.T, c *cluster.Cluster, client int) *thirdparty.EtcdConcurrency {
	t.Helper()
	e, err := thirdparty.NewEtcdConcurrency(thirdparty.EtcdConfig{Endpoints: c.Endpoints(client), TTL: time.Second, Patience: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// session returns the part of the owner value before the "@".
func session(l locks.Lease) string {
	s, _, _ := strings.Cut(l.(locks.Owned).Owner(), "@")
	return s
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func each(t *testing.T, c *cluster.Cluster, client int, do func(*cluster.Link) error) {
	t.Helper()
	for n := range c.Nodes {
		if err := do(c.Link(client, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// A cut in the middle of the wait leaves the waiter's key in the queue: the
// library cannot take it back, and nobody may believe that it did. The key goes with
// its session, and the client's next lease is one of another session.
func TestDoubtEndsTheSession(t *testing.T) {
	c := start(t)
	a, b := open(t, c, 1), open(t, c, 2)
	first, err := a.Acquire(within(t, 10*time.Second), "other")
	if err != nil {
		t.Fatal(err)
	}
	held, err := b.Acquire(within(t, 10*time.Second), "x")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := a.Acquire(ctx, "x")
		done <- err
	}()
	direct, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	for wctx := within(t, 2*time.Minute); ; time.Sleep(time.Millisecond) {
		keys, err := direct.Get(wctx, "lock/x/", clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			t.Fatal(err)
		}
		if keys.Count == 2 {
			break // the waiter stands in the queue
		}
	}
	each(t, c, 1, (*cluster.Link).Cut)
	cancel()
	if err := <-done; err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire whose key is left in the queue: %v, want an unknown outcome", err)
	}
	select {
	case <-first.(locks.Watched).Lost():
	case <-within(t, 10*time.Second).Done():
		t.Error("the session was given up, and its other lease was not told")
	}
	each(t, c, 1, (*cluster.Link).Heal)
	if err := held.Release(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	again, err := a.Acquire(within(t, 20*time.Second), "x")
	for wctx := within(t, 2*time.Minute); err != nil && wctx.Err() == nil; {
		again, err = a.Acquire(within(t, 2*time.Second), "x")
	}
	if err != nil {
		t.Fatalf("the client never recovered: %v", err)
	}
	if session(again) == session(first) {
		t.Error("a session that was left in doubt was used again")
	}
}

// A stopped or cut-off holder is told when the library has heard nothing for a TTL.
func TestLossIsToldToAHolderThatIsCutOff(t *testing.T) {
	c := start(t)
	a := open(t, c, 1)
	l, err := a.Acquire(within(t, 10*time.Second), "x")
	if err != nil {
		t.Fatal(err)
	}
	each(t, c, 1, (*cluster.Link).Cut)
	cut := time.Now()
	freed := make(chan time.Duration, 1)
	go func() {
		if _, err := open(t, c, 2).Acquire(within(t, 20*time.Second), "x"); err != nil {
			t.Errorf("the lease of a holder that is cut off does not end: %v", err)
		}
		freed <- time.Since(cut)
	}()
	select {
	case <-l.(locks.Watched).Lost():
		t.Logf("told %v after the cut, another could hold it after %v", time.Since(cut), <-freed)
	case <-within(t, 20*time.Second).Done():
		t.Error("the loss was never told")
	}
	each(t, c, 1, (*cluster.Link).Heal)
}
