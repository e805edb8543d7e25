package redis_test

import (
	"errors"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redis"
)

// A holder that died between SETNX and EXPIRE leaves a key without expiry: the published
// repair never sees it, the one that works frees it after a TTL.
func TestWatchRepair(t *testing.T) {
	c := start(t)
	raw := goredis.NewClient(&goredis.Options{Addr: c.Endpoints(0)[0]})
	defer raw.Close()
	for _, tt := range []struct {
		name  string
		open  func(redis.Config) *redis.Watch
		freed bool
	}{{"published", redis.NewWatch, false}, {"repaired", redis.NewWatchRepaired, true}} {
		t.Run(tt.name, func(t *testing.T) {
			if err := raw.Set(t.Context(), "lock:"+tt.name, "p9:dead", 0).Err(); err != nil {
				t.Fatal(err)
			}
			w := tt.open(redis.Config{Addr: c.Endpoints(1)[0], TTL: time.Second})
			defer w.Close()
			l, err := w.Acquire(within(t, 4*time.Second), tt.name)
			if (err == nil) != tt.freed || err != nil && !errors.Is(err, locks.ErrNotAcquired) {
				t.Errorf("acquire of a key without expiry: %v, want granted %v", err, tt.freed)
			}
			if err == nil {
				_ = l.Release(t.Context())
			}
		})
	}
}

// The published repair takes the 0 that TTL answers in the last half second of a
// lease for a missing expiry, and gives a dead holder's lease another TTL.
func TestWatchKeepsTheDeadAlive(t *testing.T) {
	c := start(t)
	raw := goredis.NewClient(&goredis.Options{Addr: c.Endpoints(0)[0]})
	defer raw.Close()
	w := redis.NewWatch(redis.Config{Addr: c.Endpoints(1)[0], TTL: time.Second})
	defer w.Close()
	// A waiter that is not run in that half second does not do it.
	until(t, "a dead holder whose lease goes on", func() bool {
		if err := raw.Set(t.Context(), "lock:x", "p9:dead", time.Second).Err(); err != nil {
			t.Fatal(err)
		}
		l, err := w.Acquire(within(t, 4*time.Second), "x")
		if err != nil && !errors.Is(err, locks.ErrNotAcquired) {
			t.Fatal(err)
		}
		if err == nil {
			_ = l.Release(t.Context())
		}
		return err != nil
	})
}

// A client whose clock is ahead takes over a lease that is valid.
func TestGetSetBelievesItsClock(t *testing.T) {
	c := start(t)
	holder := redis.NewGetSet(redis.Config{Addr: c.Endpoints(1)[0], TTL: time.Minute})
	defer holder.Close()
	l, err := holder.TryAcquire(within(t, 5*time.Second), "x")
	if err != nil {
		t.Fatal(err)
	}
	var clock locks.SkewedClock
	other := redis.NewGetSet(redis.Config{Addr: c.Endpoints(2)[0], TTL: time.Minute, Clock: &clock})
	defer other.Close()
	if _, err := other.TryAcquire(within(t, 5*time.Second), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("with a true clock: %v, want ErrNotAcquired", err)
	}
	clock.Set(2 * time.Minute)
	if _, err := other.TryAcquire(within(t, 5*time.Second), "x"); err != nil {
		t.Errorf("with a clock that is ahead: %v, want a grant", err)
	}
	if left := time.Until(l.(locks.Bounded).Until()); left < 30*time.Second {
		t.Errorf("the first holder's validity should go on, has %v", left)
	}
	if err := l.Release(within(t, 5*time.Second)); err != nil {
		t.Errorf("its DEL ends whatever is there: %v", err)
	}
}

// A client that dies between SETNX and the expiry leaves the lock taken for good: here the
// reply to its SETNX is lost.
func TestSetNXExpireLeftBetween(t *testing.T) {
	c := start(t)
	s := redis.NewSetNXExpire(redis.Config{Addr: c.Endpoints(1)[0], TTL: 100 * time.Millisecond, Timeout: 200 * time.Millisecond})
	defer s.Close()
	connect(t, s)
	if err := c.Link(1, 0).Hold("replies"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TryAcquire(within(t, 5*time.Second), "x"); err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("acquire whose reply is lost: %v, want an unknown outcome", err)
	}
	time.Sleep(300 * time.Millisecond) // three TTLs
	if seen := probe(t, c, "x"); seen.Owner == "" || seen.Left != -1 {
		t.Errorf("the server has %+v, want an owner without expiry", seen)
	}
}

// A stoppedClock always tells one time.
type stoppedClock struct {
	locks.SystemClock
	at time.Time
}

func (c stoppedClock) Now() time.Time { return c.at }

// Redis counts whole milliseconds: what a TTL has beyond them is not promised.
func TestNoPartOfAMillisecond(t *testing.T) {
	c := start(t)
	clock := stoppedClock{at: time.Now()}
	cfg := redis.Config{Addr: c.Endpoints(1)[0], TTL: 3*time.Second + 999*time.Microsecond, Clock: clock}
	for name, l := range map[string]locks.Trier{"set": redis.NewSet(cfg), "fenced": redis.NewFenced(cfg), "watchdog": redis.NewWatchdog(cfg)} {
		lease, err := l.TryAcquire(within(t, 5*time.Second), name)
		if err != nil {
			t.Fatal(err)
		}
		if valid := lease.(locks.Bounded).Until().Sub(clock.at); valid != 3*time.Second {
			t.Errorf("%s declares %v, and the server keeps it for 3s", name, valid)
		}
		if err := l.(locks.Locker).Close(); err != nil {
			t.Error(err)
		}
	}
}
