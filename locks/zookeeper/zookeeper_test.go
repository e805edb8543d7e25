//go:build linux

package zookeeper_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/zookeeper"
)

const ttl = time.Second

func start(tb testing.TB, clients int) *cluster.Cluster {
	tb.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("zookeeper"); err != nil {
		tb.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(tb.Context(), "zookeeper-3", p, clients, tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := c.Close(); err != nil {
			tb.Error(err)
		}
	})
	return c
}

func config(c *cluster.Cluster, client int, ttl time.Duration) zookeeper.Config {
	return zookeeper.Config{Endpoints: c.Endpoints(client), TTL: ttl, Owner: fmt.Sprint("p", client)}
}

func closing[L locks.Locker](t *testing.T, l L) L {
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

// watched waits until as many clients watch the queue for a lock, or a node in it.
func watched(t *testing.T, c *cluster.Cluster, name string, want int) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		watches, here := 0, false
		for _, n := range c.Nodes {
			answer, err := cluster.AskZooKeeper(t.Context(), n.Addr(), "wchp")
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(answer) { // a path, and below it the sessions, indented
				line = strings.TrimRight(line, "\n")
				if strings.HasPrefix(line, "/") {
					here = line == "/lock/"+name || strings.HasPrefix(line, "/lock/"+name+"/")
				} else if here && line != "" {
					watches++
				}
			}
		}
		if watches == want {
			return
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("%d watch the queue, want %d", watches, want)
		}
	}
}

// waiter acquires in the background and returns once it waits, with so many others.
func waiter(t *testing.T, ctx context.Context, c *cluster.Cluster, l locks.Locker, name string, all int) <-chan error {
	t.Helper()
	got := make(chan error, 1)
	go func() {
		_, err := l.Acquire(ctx, name)
		got <- err
	}()
	if name == "zookeeper-herd" { // the servers do not tell of watches on children, and it looks again
		queued(t, c, name, all+1)
	} else {
		watched(t, c, name, all)
	}
	return got
}

// queued waits until as many nodes stand in the queue for a lock, its holder's among them.
func queued(t *testing.T, c *cluster.Cluster, name string, want int) {
	t.Helper()
	conn, _, err := zk.Connect(c.Endpoints(0), 10*time.Second, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		names, _, err := conn.Children("/lock/" + name)
		if err == nil && len(names) == want {
			return
		}
		if time.Since(begin) > 20*time.Second {
			t.Fatalf("%d nodes in the queue (%v), want %d", len(names), err, want)
		}
	}
}

// A waiter that gives up makes its successor a second holder where that does
// not look again, and nowhere else.
func TestDeadWaiter(t *testing.T) {
	c := start(t, 3)
	for _, tt := range []struct {
		name   string
		open   func(zookeeper.Config) locks.Locker
		broken bool
	}{
		{"zookeeper", func(c zookeeper.Config) locks.Locker { return zookeeper.New(c) }, false},
		{"zookeeper-herd", func(c zookeeper.Config) locks.Locker { return zookeeper.NewHerd(c) }, false},
		{"zookeeper-norecheck", func(c zookeeper.Config) locks.Locker { return zookeeper.NewNoRecheck(c) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var clients []locks.Locker
			for i := 1; i <= 3; i++ {
				clients = append(clients, closing(t, tt.open(config(c, i, 4*ttl))))
			}
			held := acquire(t, clients[0], tt.name)
			ctx, giveUp := context.WithCancel(t.Context())
			first := waiter(t, ctx, c, clients[1], tt.name, 1)
			second := waiter(t, t.Context(), c, clients[2], tt.name, 2)
			giveUp()
			if err := <-first; !errors.Is(err, locks.ErrNotAcquired) {
				t.Fatalf("a waiter that gave up: %v, want ErrNotAcquired", err)
			}
			select {
			case err := <-second:
				if !tt.broken || err != nil {
					t.Fatalf("the next waiter returned (%v) while the lock is held", err)
				}
				return
			case <-time.After(time.Second):
			}
			if tt.broken {
				t.Fatal("the next waiter is not a holder although the lock is known to be broken in that")
			}
			if err := held.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-second; err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A TTL that the servers do not allow is refused, with the name of the setting.
func TestTimeoutNotAllowed(t *testing.T) {
	c := start(t, 1)
	for ttl, setting := range map[time.Duration]string{200 * time.Millisecond: "lower minSessionTimeout", 2 * time.Minute: "raise maxSessionTimeout"} {
		l := closing(t, zookeeper.New(config(c, 1, ttl)))
		if _, err := l.Acquire(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%v: %v", ttl, err)
		}
	}
	acquire(t, closing(t, zookeeper.New(config(c, 1, ttl))), "a")
}

// A client that holds the lock gets it again, with the same token, and others
// get it after its last release.
func TestReentrant(t *testing.T) {
	c := start(t, 2)
	a, b := closing(t, zookeeper.New(config(c, 1, 4*ttl))), closing(t, zookeeper.New(config(c, 2, 4*ttl)))
	var leases []locks.Lease
	for range 3 {
		leases = append(leases, acquire(t, a, "lock"))
	}
	for _, l := range leases {
		if got, want := l.(locks.Fenced).Token(), leases[0].(locks.Fenced).Token(); got != want {
			t.Errorf("token of a re-entry is %d, want %d", got, want)
		}
		if _, err := b.TryAcquire(t.Context(), "lock"); !errors.Is(err, locks.ErrNotAcquired) {
			t.Errorf("another client's try: %v, want ErrNotAcquired", err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if err := l.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
			t.Errorf("second release of a re-entry: %v, want ErrNotHeld", err)
		}
	}
	other, err := b.TryAcquire(t.Context(), "lock")
	if err != nil {
		t.Fatalf("after the last release: %v", err)
	}
	if got, old := other.(locks.Fenced).Token(), leases[0].(locks.Fenced).Token(); got <= old {
		t.Errorf("token %d after %d", got, old)
	}
}

// Waiters get the lock in the order in which they came.
func TestFair(t *testing.T) {
	const n = 5
	c := start(t, n+1)
	held := acquire(t, closing(t, zookeeper.New(config(c, n+1, 4*ttl))), "lock")
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := 1; i <= n; i++ {
		l := closing(t, zookeeper.New(config(c, i, 4*ttl)))
		wg.Go(func() {
			lease, err := l.Acquire(t.Context(), "lock")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
		})
		watched(t, c, "lock", i)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	for i := range order {
		if order[i] != i+1 {
			t.Fatalf("grants came in the order %v", order)
		}
	}
}

// The loss of a holder that is cut off from all servers is told before another
// client gets the lock.
func TestLossBeforeGrant(t *testing.T) {
	c := start(t, 2)
	a, b := closing(t, zookeeper.New(config(c, 1, 3*ttl))), closing(t, zookeeper.New(config(c, 2, 3*ttl)))
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

// A lease survives the leader, whichever way that goes.
func TestLeaderGoes(t *testing.T) {
	c := start(t, 2)
	a, b := closing(t, zookeeper.New(config(c, 1, 20*ttl))), closing(t, zookeeper.New(config(c, 2, 20*ttl)))
	held := acquire(t, a, "lock")
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
	default:
	}
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
