package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/redis"
)

// start starts one Redis with two clients.
func start(t *testing.T) *cluster.Cluster {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("redis"); err != nil {
		t.Fatalf("%v; run: make servers", err)
	}
	c, err := cluster.Start(t.Context(), "redis", p, 2, t.TempDir())
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

// until waits for a condition on the real world.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for ctx := within(t, 2*time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("never seen: %s", what)
		}
	}
}

// connect sees to it that there is a connection, so that the next request on it is the lock's.
// Where the machine is busy the first tries may take too long.
func connect(t *testing.T, l locks.Trier) {
	t.Helper()
	n := 0
	until(t, "a grant", func() bool {
		n++
		_, err := l.TryAcquire(within(t, 5*time.Second), fmt.Sprint("another ", n))
		return err == nil
	})
}

func probe(t *testing.T, c *cluster.Cluster, name string) locks.Sight {
	t.Helper()
	p := redis.NewProbe([]redis.Node{{Name: "redis-1", Addr: c.Endpoints(0)[0]}}, time.Second)
	defer p.Close()
	s, err := p.Probe(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return s[0]
}

// A request whose reply is kept back may have taken the lock: here it has.
func TestUnansweredAcquireIsUnknown(t *testing.T) {
	c := start(t)
	s := redis.NewSet(redis.Config{Addr: c.Endpoints(1)[0], Owner: "p1", Timeout: 200 * time.Millisecond, TTL: time.Minute})
	defer s.Close()
	if err := c.Link(1, 0).Hold(cluster.Replies); err != nil {
		t.Fatal(err)
	}
	// On a new connection it is the introduction that is not answered.
	if _, err := s.TryAcquire(within(t, 5*time.Second), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("acquire that was never sent: %v, want ErrNotAcquired", err)
	}
	if err := c.Link(1, 0).Heal(); err != nil {
		t.Fatal(err)
	}
	connect(t, s)
	if err := c.Link(1, 0).Hold(cluster.Replies); err != nil {
		t.Fatal(err)
	}
	_, err := s.Acquire(within(t, 5*time.Second), "x")
	if err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("acquire whose reply is kept back: %v, want an unknown outcome", err)
	}
	if sight := probe(t, c, "x"); !strings.HasPrefix(sight.Owner, "p1:") {
		t.Errorf("the server has %+v, want the lock taken in the name of p1", sight)
	}
	if err := c.Link(1, 0).Heal(); err != nil {
		t.Fatal(err)
	}
}

// A refusal by the network happens before anything is sent.
func TestNobodyListensIsCertain(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	s := redis.NewSet(redis.Config{Addr: addr})
	defer s.Close()
	if _, err := s.Acquire(within(t, 100*time.Millisecond), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire where nobody listens: %v, want ErrNotAcquired", err)
	}
}

// The reply of a request under way at the end of the context is awaited, so
// that the outcome is known: here it is a grant.
func TestGraceMakesTheOutcomeKnown(t *testing.T) {
	c := start(t)
	s := redis.NewSet(redis.Config{Addr: c.Endpoints(1)[0], Grace: 5 * time.Second, Timeout: 5 * time.Second, TTL: time.Minute})
	defer s.Close()
	if err := c.Link(1, 0).Slow(100*time.Millisecond, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Acquire(within(t, 50*time.Millisecond), "x"); err != nil {
		t.Errorf("acquire whose grant came after its deadline: %v", err)
	}
}

// A replica that is asked to write refuses and does nothing.
func TestReadOnlyIsARefusal(t *testing.T) {
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	c, err := cluster.Start(t.Context(), "redis-replicas", p, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, open := range []func(redis.Config) locks.Trier{
		func(c redis.Config) locks.Trier { return redis.NewSet(c) },
		func(c redis.Config) locks.Trier { return redis.NewFenced(c) },
		func(c redis.Config) locks.Trier { return redis.NewSetNX(c) },
	} {
		replica := open(redis.Config{Addr: c.Nodes[1].Addr()})
		if _, err := replica.TryAcquire(within(t, 5*time.Second), "x"); !errors.Is(err, locks.ErrNotAcquired) || !strings.Contains(err.Error(), "READONLY") {
			t.Errorf("%T on a replica: %v, want ErrNotAcquired that tells READONLY", replica, err)
		}
		_ = replica.(locks.Locker).Close()
	}
}

// A watchdog that cannot reach the server tells the loss when the validity is
// over, and no later than another can hold the lock.
func TestWatchdogTellsTheEndOfItsValidity(t *testing.T) {
	c := start(t)
	const ttl = 600 * time.Millisecond
	w := redis.NewWatchdog(redis.Config{Addr: c.Endpoints(1)[0], TTL: ttl})
	defer w.Close()
	other := redis.NewSet(redis.Config{Addr: c.Endpoints(2)[0], TTL: time.Minute})
	defer other.Close()
	l, err := w.Acquire(within(t, 5*time.Second), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Link(1, 0).Cut(); err != nil {
		t.Fatal(err)
	}
	lost := make(chan time.Time, 1)
	go func() {
		<-l.(locks.Watched).Lost()
		lost <- time.Now()
	}()
	if _, err := other.Acquire(within(t, 10*time.Second), "x"); err != nil {
		t.Fatal(err)
	}
	got := time.Now()
	select {
	case at := <-lost:
		if end := l.(locks.Bounded).Until(); end.After(got) {
			t.Errorf("declared valid until %v after another's grant", end.Sub(got))
		} else if at.Sub(end) > 2*time.Second { // what a busy machine may add
			t.Errorf("loss told %v after the end of the validity", at.Sub(end))
		}
	case <-within(t, 5*time.Second).Done():
		t.Fatal("the loss was never told")
	}
	_ = c.Link(1, 0).Heal()
}

// A watchdog ends with its client, as it would with its process.
func TestWatchdogEndsWithItsClient(t *testing.T) {
	c := start(t)
	w := redis.NewWatchdog(redis.Config{Addr: c.Endpoints(1)[0], TTL: 300 * time.Millisecond})
	if _, err := w.Acquire(within(t, 5*time.Second), "x"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "the lock of a closed client expires", func() bool { return probe(t, c, "x").Owner == "" })
}
