package driver_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"locktorture/internal/hostclock"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// within returns a context for what must be answered soon.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func acquire(t testing.TB, c *driver.Client, name string) *driver.Lease {
	t.Helper()
	l, err := c.Acquire(within(t, 10*time.Second), name)
	if err != nil {
		t.Fatalf("acquire %s: %v", name, err)
	}
	return l.(*driver.Lease)
}

func TestTwoDriversExcludeEachOther(t *testing.T) {
	s := localServer(t)
	a, b := startLocal(t, s, 7), startLocal(t, s, 8)
	first := acquire(t, a, "stock item/1")
	if !strings.HasPrefix(first.Owner(), "p7:") {
		t.Errorf("owner is %q, want p7:…", first.Owner())
	}
	if _, err := b.TryAcquire(t.Context(), "stock item/1"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("try of a held lock: %v, want ErrNotAcquired", err)
	}
	if left, err := first.Ask(t.Context()); err != nil || left != locks.Forever {
		t.Errorf("ask of a lease without end: %v, %v", left, err)
	}
	if err := first.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := first.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("second release: %v, want ErrNotHeld", err)
	}
	if _, err := first.Ask(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("ask of a released lease: %v, want ErrNotHeld", err)
	}
	second := acquire(t, b, "stock item/1")
	if second.Token() <= first.Token() {
		t.Errorf("tokens %d, then %d: do not grow", first.Token(), second.Token())
	}
}

func TestCancelIsARefusal(t *testing.T) {
	s := localServer(t)
	a, b := startLocal(t, s, 1), startLocal(t, s, 2)
	held := acquire(t, a, "x")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := b.Acquire(ctx, "x")
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("cancelled acquire: %v, want ErrNotAcquired", err)
	}
	if _, err := b.Acquire(within(t, 50*time.Millisecond), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("acquire past its deadline: %v, want ErrNotAcquired", err)
	}
	if err := held.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Had the cancelled calls left something in the queue, it would hold the lock now.
	l, err := a.TryAcquire(t.Context(), "x")
	if err != nil {
		t.Fatalf("the cancelled acquire left something behind: %v", err)
	}
	_ = l.Release(t.Context())
}

// untilAsked returns a context that ends when a driver is sent an acquire.
func untilAsked(t *testing.T, c *driver.Command) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c.Tap = func(l driver.Line) {
		if l.Sent && strings.Contains(l.Text, "acquire") {
			cancel()
		}
	}
	return ctx
}

func TestGrantAfterTheGraceIsGivenBack(t *testing.T) {
	c := childCommand("driver")
	c.Grace = 50 * time.Millisecond
	asked := untilAsked(t, &c)
	k := start(t, c, driver.Open{Backend: "stubborn", TTL: time.Second})
	_, err := k.Acquire(asked, "x")
	if err == nil || errors.Is(err, locks.ErrNotAcquired) {
		t.Fatalf("acquire without an answer: %v, want an unknown outcome", err)
	}
	// The lock is a semaphore of one: this waits until the late grant was given back.
	c2, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := k.Acquire(c2, "x"); err != nil {
		t.Errorf("the late grant was not given back: %v", err)
	}
}

func TestGrantDespiteCancelIsReturned(t *testing.T) {
	c := childCommand("driver")
	c.Grace = 20 * time.Second
	asked := untilAsked(t, &c)
	k := start(t, c, driver.Open{Backend: "stubborn", TTL: 100 * time.Millisecond})
	l, err := k.Acquire(asked, "x")
	if err != nil {
		t.Fatalf("grant that came within the grace: %v", err)
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestClassesOfErrors(t *testing.T) {
	k := start(t, childCommand("driver"), driver.Open{Backend: "plain"})
	_, err := k.Acquire(t.Context(), "fail:the connection broke")
	if err == nil || errors.Is(err, locks.ErrNotAcquired) || !strings.Contains(err.Error(), "the connection broke") {
		t.Errorf("an error of the lock became %v, want unknown with its message", err)
	}
	if k.Trier() {
		t.Error("the lock is said to be a Trier")
	}
	if _, err := k.TryAcquire(t.Context(), "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("try of a lock that cannot: %v", err)
	}
	if err := acquire(t, k, "x").Renew(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("renew of a lease that cannot: %v", err)
	}
	if _, err := driver.Start(t.Context(), childCommand("driver"), driver.Open{Backend: "nonesuch"}); err == nil || !strings.Contains(err.Error(), `no lock "nonesuch"`) {
		t.Errorf("open of an unknown lock: %v", err)
	}
}

func TestAskFollowsTheClientsClock(t *testing.T) {
	c := childCommand("driver")
	t.Run("given to the lock", func(t *testing.T) { asksByClock(t, c) })
	t.Run("of the process", func(t *testing.T) {
		if err := hostclock.Supported(); err != nil {
			t.Skip(err)
		}
		c.HostClock = true
		asksByClock(t, c)
	})
}

func asksByClock(t *testing.T, c driver.Command) {
	const ttl = time.Hour
	k := start(t, c, driver.Open{Backend: "bounded", TTL: ttl})
	l := acquire(t, k, "x")
	ask := func() time.Duration {
		t.Helper()
		left, err := l.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	near := func(got, want time.Duration) bool { return math.Abs(float64(got-want)) < float64(time.Minute) }
	if left := ask(); left > ttl || !near(left, ttl) {
		t.Errorf("fresh lease is valid for %v, want %v", left, ttl)
	}
	if err := k.SetClock(t.Context(), 30*time.Minute); err != nil {
		t.Fatal(err)
	}
	if left := ask(); !near(left, 30*time.Minute) {
		t.Errorf("after a jump by 30 min valid for %v", left)
	}
	if err := l.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := ask(); !near(left, ttl) {
		t.Errorf("renewed lease is valid for %v", left)
	}
	if err := k.SetClock(t.Context(), 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Ask(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("ask of a lease that is over: %v, want ErrNotHeld", err)
	}
}

func TestLossIsTold(t *testing.T) {
	k := start(t, childCommand("driver"), driver.Open{Backend: "watched", TTL: 20 * time.Millisecond})
	before := driver.Monotonic()
	l := acquire(t, k, "x")
	select {
	case <-l.Lost():
	case <-within(t, 10*time.Second).Done():
		t.Fatal("the loss was never told")
	}
	if after := driver.Monotonic(); l.LostAt() <= before || l.LostAt() > after {
		t.Errorf("lost at %d, not between %d and %d", l.LostAt(), before, after)
	}
	if _, err := l.Ask(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("ask of a lost lease: %v, want ErrNotHeld", err)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	k := start(b, childCommand("driver"), driver.Open{Backend: "bounded", TTL: time.Hour})
	l := acquire(b, k, "x")
	b.Run("call=ask", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Ask(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("call=acquire+release", func(b *testing.B) {
		for b.Loop() {
			l, err := k.Acquire(b.Context(), "x")
			if err == nil {
				err = l.Release(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
