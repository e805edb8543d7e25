//go:build linux

package postgres_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/postgres"
)

// start starts a PostgreSQL and opens two clients.
func start(t *testing.T) (c *cluster.Cluster, a, b *postgres.Advisory) {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("postgres"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "postgres", p, 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	open := func(client int, owner string) *postgres.Advisory {
		return postgres.NewAdvisory(postgres.Config{Addr: c.Endpoints(client)[0], Owner: owner,
			Timeout: 10 * time.Second, Grace: 2 * time.Second}) // a busy machine
	}
	a, b = open(1, "p1"), open(2, "p2")
	t.Cleanup(func() { a.Close(); b.Close() })
	return c, a, b
}

func acquire(t *testing.T, l locks.Locker) locks.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	lease, err := l.Acquire(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func refused(t *testing.T, l locks.Trier) {
	t.Helper()
	if lease, err := l.TryAcquire(t.Context(), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("try: %v, %v; want ErrNotAcquired", lease, err)
	}
}

// The owner may take the lock again; it is free after as many releases.
func TestReentrant(t *testing.T) {
	_, a, b := start(t)
	for _, l := range []locks.Lease{acquire(t, a), acquire(t, a), acquire(t, a)} {
		refused(t, b)
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if err := l.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
			t.Errorf("second release: %v, want ErrNotHeld", err)
		}
	}
	if err := acquire(t, b).Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// Waiters that were cancelled leave no connection in the server.
func TestCancelledWaitersLeave(t *testing.T) {
	c, a, b := start(t)
	acquire(t, a)
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+c.Nodes[0].Addr()+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	var waiters sync.WaitGroup
	for range 10 {
		waiters.Go(func() {
			if _, err := b.Acquire(ctx, "x"); !errors.Is(err, locks.ErrNotAcquired) {
				t.Errorf("a cancelled waiter: %v, want ErrNotAcquired", err)
			}
		})
	}
	await := func(want int) {
		t.Helper()
		begun := time.Now()
		for n := -1; n != want; {
			err := conn.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name LIKE 'p2:%'").Scan(&n)
			if err != nil || time.Since(begun) > 5*time.Second {
				t.Fatalf("%d connections of the waiters (%v), want %d", n, err, want)
			}
		}
		t.Logf("%d connections of the waiters after %v", want, time.Since(begun))
	}
	await(10)
	cancel()
	waiters.Wait()
	await(0)
}

// The connection of a holder dies, another gets the lock, and the holder does
// not know: it has nothing that would tell it. The same goes for a restart of the server.
func TestConnectionDies(t *testing.T) {
	c, a, b := start(t)
	l := acquire(t, a)
	if _, ok := l.(locks.Watched); ok {
		t.Error("the holder is told")
	}
	link := c.Link(1, 0)
	if err := link.Cut(); err != nil {
		t.Fatal(err)
	}
	refused(t, b) // the server does not hear of a dead network
	if err := link.Heal(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	next := acquire(t, b)
	t.Logf("free %v after the reset", time.Since(begun))
	if err := l.Release(t.Context()); err == nil {
		t.Error("the first holder released without an error")
	}
	refused(t, a)

	node := c.Nodes[0].(*process.ClockedNode)
	if err := node.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := node.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	third := acquire(t, a)
	if err := next.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("release after a restart of the server: %v, want ErrNotHeld", err)
	}
	if err := third.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestProbeOfTheSame: a probe shows no owner that had released the lock before it asked, although the
// next owner has the same connection at once.
func TestProbeOfTheSame(t *testing.T) {
	c, a, _ := start(t)
	ctx, stop := context.WithCancel(t.Context())
	var working sync.WaitGroup
	defer working.Wait()
	defer stop()
	var mu sync.Mutex
	over := map[string]time.Time{} // by owner: when its release was confirmed
	working.Go(func() {
		for ctx.Err() == nil {
			lease, err := a.Acquire(ctx, "x")
			if err != nil {
				continue
			}
			if err := lease.Release(context.WithoutCancel(ctx)); err == nil {
				mu.Lock()
				over[lease.(locks.Owned).Owner()] = time.Now()
				mu.Unlock()
			}
		}
	})
	p := postgres.NewProbe("postgres", c.Nodes[0].Addr())
	defer p.Close()
	seen := 0
	for range 1500 {
		asked := time.Now()
		sights, err := p.Probe(t.Context(), "x")
		if err != nil || sights[0].Owner == "" {
			continue
		}
		seen++
		mu.Lock()
		at, known := over[sights[0].Owner]
		mu.Unlock()
		if known && at.Before(asked) {
			t.Fatalf("sight %d: %s had released the lock %v before the probe asked", seen, sights[0].Owner, asked.Sub(at))
		}
	}
	t.Logf("%d looks showed an owner", seen)
}
