package redlock_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/redlock"
)

// start starts five Redis with two clients.
func start(t *testing.T) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("redis"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "redis-5", p, 2, t.TempDir())
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

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func each(t *testing.T, c *cluster.Cluster, client int, nodes []int, do func(*cluster.Link) error) {
	t.Helper()
	for _, n := range nodes {
		if err := do(c.Link(client, n)); err != nil {
			t.Fatal(err)
		}
	}
}

// connect makes the connections, so that the next request on them is the lock's.
func connect(t *testing.T, r *redlock.Redlock) {
	t.Helper()
	if _, err := r.TryAcquire(within(t, 10*time.Second), "another"); err != nil {
		t.Fatal(err)
	}
}

func hold(l *cluster.Link) error { return l.Hold(cluster.Replies) }

// late lets a client try while the replies of all nodes are kept back for
// longer than the TTL, and returns what it got.
func late(t *testing.T, open func(redlock.Config) *redlock.Redlock) (locks.Lease, error) {
	t.Helper()
	const ttl = 300 * time.Millisecond
	c := start(t)
	all := []int{0, 1, 2, 3, 4}
	r := open(redlock.Config{Addrs: c.Endpoints(1), TTL: ttl, NodeTimeout: 10 * time.Second})
	t.Cleanup(func() { r.Close() })
	connect(t, r)
	each(t, c, 1, all, hold)
	type result struct {
		lease locks.Lease
		err   error
	}
	got := make(chan result, 1)
	go func() {
		l, err := r.TryAcquire(t.Context(), "x")
		got <- result{l, err}
	}()
	// Another client gets the lock once the unheard grants have expired on a quorum.
	for ctx := within(t, 2*time.Minute); ; time.Sleep(time.Millisecond) {
		held := 0
		for _, n := range all {
			if c.Link(1, n).Held() > 0 {
				held++
			}
		}
		if held == len(all) {
			break
		}
		if ctx.Err() != nil {
			t.Fatalf("%d of 5 replies are kept back", held)
		}
	}
	other := redlock.New(redlock.Config{Addrs: c.Endpoints(2), TTL: time.Minute})
	t.Cleanup(func() { other.Close() })
	if _, err := other.Acquire(within(t, 10*time.Second), "x"); err != nil {
		t.Fatal(err)
	}
	each(t, c, 1, all, (*cluster.Link).Heal)
	o := <-got
	return o.lease, o.err
}

// antirez' argument: what happens before the replies are read is noticed.
func TestElapsedTimeCheck(t *testing.T) {
	_, err := late(t, redlock.New)
	if !errors.Is(err, locks.ErrNotAcquired) || !strings.Contains(err.Error(), "elapsed-time check") {
		t.Errorf("replies that came after the TTL: %v, want ErrNotAcquired by the elapsed-time check", err)
	}
}

// The mutant grants, and declares valid, what another client holds.
func TestNoCheckGrantsWhatAnotherHolds(t *testing.T) {
	l, err := late(t, redlock.NewNoCheck)
	if err != nil {
		t.Fatalf("replies that came after the TTL: %v, want a grant", err)
	}
	if left := time.Until(l.(locks.Bounded).Until()); left <= 0 {
		t.Errorf("valid for %v, want a validity that is not over", left)
	}
}

// Two silent nodes do not keep three others from granting.
func TestMinorityDown(t *testing.T) {
	c := start(t)
	each(t, c, 1, []int{1, 4}, (*cluster.Link).Cut)
	r := redlock.New(redlock.Config{Addrs: c.Endpoints(1), TTL: 2 * time.Second, NodeTimeout: 100 * time.Millisecond})
	defer r.Close()
	l, err := r.TryAcquire(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if left := time.Until(l.(locks.Bounded).Until()); left > 1900*time.Millisecond {
		t.Errorf("valid for %v although the acquire took 100 ms of 2 s", left)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
	each(t, c, 1, []int{1, 4}, (*cluster.Link).Heal)
}

// With three silent nodes nothing is granted, and nobody knows what they will do.
func TestSilentQuorumIsInDoubt(t *testing.T) {
	c := start(t)
	r := redlock.New(redlock.Config{Addrs: c.Endpoints(1), TTL: time.Minute, NodeTimeout: 200 * time.Millisecond})
	defer r.Close()
	connect(t, r)
	each(t, c, 1, []int{0, 1, 2}, hold)
	_, err := r.TryAcquire(t.Context(), "x")
	if err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("three silent nodes: %v, want an unknown outcome", err)
	}
	each(t, c, 1, []int{0, 1, 2}, (*cluster.Link).Heal)
}

// A node that is down, and whose port refuses, was certainly not asked.
func TestQuorumDownIsCertain(t *testing.T) {
	c := start(t)
	for _, n := range c.Nodes[:3] {
		k, ok := n.(interface{ Kill(context.Context) error })
		if !ok {
			t.Fatalf("node %T cannot be killed", n)
		}
		if err := k.Kill(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	addrs := make([]string, len(c.Nodes))
	for i, n := range c.Nodes {
		addrs[i] = n.Addr()
	}
	r := redlock.New(redlock.Config{Addrs: addrs, TTL: 2 * time.Second})
	defer r.Close()
	if _, err := r.TryAcquire(t.Context(), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("three nodes that refuse connections: %v, want ErrNotAcquired", err)
	}
}

// A server that has too few replicas refuses a write and does nothing: the call stays certain,
// and what the others granted is given back.
func TestTooFewReplicasIsARefusal(t *testing.T) {
	c := start(t)
	r := redlock.New(redlock.Config{Addrs: c.Endpoints(1), TTL: time.Minute, NodeTimeout: 5 * time.Second})
	defer r.Close()
	connect(t, r)
	for _, addr := range c.Endpoints(0)[:3] {
		db := goredis.NewClient(&goredis.Options{Addr: addr})
		defer db.Close()
		if err := db.ConfigSet(t.Context(), "min-replicas-to-write", "1").Err(); err != nil {
			t.Fatal(err)
		}
		if err := db.Set(t.Context(), "y", 1, 0).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOREPLICAS") {
			t.Fatalf("a write: %v, want NOREPLICAS: nothing can be shown", err)
		}
	}
	if _, err := r.TryAcquire(t.Context(), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("three nodes that refuse to write: %v, want ErrNotAcquired", err)
	}
	for _, addr := range c.Endpoints(0) {
		db := goredis.NewClient(&goredis.Options{Addr: addr})
		defer db.Close()
		if n, err := db.Exists(t.Context(), "lock:x").Result(); n != 0 || err != nil {
			t.Errorf("%s still has the lock of a refused round: %d, %v", addr, n, err)
		}
	}
}

// A release says what others could have seen: it is "not held" only where another client
// could have been granted.
func TestReleaseAfterLoss(t *testing.T) {
	c := start(t)
	for name, test := range map[string]struct {
		open func(redlock.Config) *redlock.Redlock
		lose int // servers that lose the key
		want error
	}{
		"a quorum still excludes":         {redlock.New, 2, nil},
		"no quorum, another may have it":  {redlock.New, 3, locks.ErrNotHeld},
		"of all nodes one still excludes": {redlock.NewMulti, 4, nil},
		"of all nodes none is left":       {redlock.NewMulti, 5, locks.ErrNotHeld},
	} {
		t.Run(name, func(t *testing.T) {
			r := test.open(redlock.Config{Addrs: c.Endpoints(1), TTL: 10 * time.Second})
			other := test.open(redlock.Config{Addrs: c.Endpoints(2), TTL: 10 * time.Second})
			t.Cleanup(func() { r.Close(); other.Close() })
			l, err := r.Acquire(within(t, 10*time.Second), name)
			if err != nil {
				t.Fatal(err)
			}
			for _, addr := range c.Endpoints(0)[:test.lose] {
				db := goredis.NewClient(&goredis.Options{Addr: addr})
				if n, err := db.Del(t.Context(), "lock:"+name).Result(); n != 1 || err != nil {
					t.Fatalf("deleted %d keys: %v", n, err)
				}
				db.Close()
			}
			if test.want == nil {
				if _, err := other.TryAcquire(within(t, 10*time.Second), name); !errors.Is(err, locks.ErrNotAcquired) {
					t.Fatalf("another client: %v, want ErrNotAcquired", err)
				}
			}
			if err := l.Release(within(t, 10*time.Second)); !errors.Is(err, test.want) {
				t.Errorf("release: %v, want %v", err, test.want)
			}
			next, err := other.Acquire(within(t, 10*time.Second), name)
			if err != nil {
				t.Fatalf("after the release: %v", err)
			}
			if err := next.Release(within(t, 10*time.Second)); err != nil {
				t.Error(err)
			}
		})
	}
}

// Servers that cannot be asked have not said that the lease is over: the loss is told when the
// validity ends, not when connections break.
func TestWatchdogBelievesOnlyAnswers(t *testing.T) {
	c := start(t)
	w := redlock.NewWatchdog(redlock.Config{Addrs: c.Endpoints(1), TTL: 3 * time.Second, NodeTimeout: 100 * time.Millisecond})
	defer w.Close()
	var l locks.Lease
	for err := error(nil); l == nil; { // it connects
		if l, err = w.Acquire(within(t, 10*time.Second), "x"); err != nil && t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	each(t, c, 1, []int{0, 1, 2}, (*cluster.Link).Cut)
	select {
	case <-l.(locks.Watched).Lost():
	case <-within(t, 10*time.Second).Done():
		t.Fatal("the loss was never told")
	}
	if left := time.Until(l.(locks.Bounded).Until()); left > 0 {
		t.Errorf("the loss was told %v before the end of the validity, although no server had denied the lease", left)
	}
	each(t, c, 1, []int{0, 1, 2}, (*cluster.Link).Heal)
}
