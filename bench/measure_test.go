package bench_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/bench"
	"locktorture/locks"
	"locktorture/locks/control"
)

// A side that is slower by a known time is seen to be, in acquire and not in release.
func TestUncontendedSeesDelay(t *testing.T) {
	t.Parallel()
	const delay = 5 * time.Millisecond
	h := newHall(t)
	u, err := bench.MeasureUncontended(t.Context(), quick(), 2, h.local("plain", 0), h.local("slow", delay))
	if err != nil {
		t.Fatal(err)
	}
	h.leftNothing(t)
	plain, slow := u.Side("plain"), u.Side("slow")
	if plain.Acquire.N == 0 || plain.Acquire.N != plain.Release.N || slow.Acquire.N != slow.Release.N {
		t.Fatalf("measured %+v and %+v", plain, slow)
	}
	if slow.Acquire.P50 < int64(delay) {
		t.Errorf("an acquire that sleeps for %v was measured as %v", delay, time.Duration(slow.Acquire.P50))
	}
	if slow.AcquireRatio.Value <= slow.ReleaseRatio.Value {
		t.Errorf("ratios: acquire %+v, release %+v: the delay is in acquire", slow.AcquireRatio, slow.ReleaseRatio)
	}
	if rate := slow.Rate.High; rate <= 0 || rate > 2*float64(time.Second/delay) {
		t.Errorf("%v rounds a second by two clients that sleep for %v in each", rate, delay)
	}
	if plain.RateRatio != nil || slow.RateRatio == nil || slow.RateRatio.Value >= 1 || !slow.RateRatio.Loses() {
		t.Errorf("ratio of rates %+v", slow.RateRatio)
	}
}

// Every grant of a contended lock is a hand-over; a queue is fair; questions are not counted.
func TestContendedQueue(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	c := patient()
	c.Hold = time.Millisecond
	commands := func(context.Context) (int64, error) { return h.calls.Add(1), nil } // a question is a command too
	bare := h.local("bare", 0)
	out, err := bench.MeasureContended(t.Context(), c, 5, &bare, commands, h.local("lock", 0))
	if err != nil {
		t.Fatal(err)
	}
	h.leftNothing(t)
	got := out[0]
	if got.Grants < 15 || got.Overlaps != 0 {
		t.Fatalf("%d grants, %d overlaps", got.Grants, got.Overlaps)
	}
	if got.Jain < 0.95 {
		t.Errorf("a queue has a fairness of %v", got.Jain)
	}
	if got.Commands < 1.5 || got.Commands > 2.5 {
		t.Errorf("%v calls for each hand-over, want an acquire and a release", got.Commands)
	}
	if time.Duration(got.Wait.P50) < 3*c.Hold {
		t.Errorf("waited for %v behind several that hold for %v each", time.Duration(got.Wait.P50), c.Hold)
	}
	if got.HandOvers.High > float64(time.Second/c.Hold) || got.OfBare == nil || got.GapRatio == nil {
		t.Errorf("%+v", got)
	}
}

// Nobody is granted the lock twice in a row, though nothing but the benchmark
// prevents it.
func TestContendedHandsOver(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	c := quick()
	c.Turns = 1
	if _, err := bench.MeasureContended(t.Context(), c, 2, nil, nil, h.local("lock", 0)); err != nil {
		t.Fatal(err)
	}
	again, total := 0, len(h.grants)-2 // the first two are of their own locks
	last := min(2, total)              // who ends last may get the lock once more, alone
	for i := 3; i < len(h.grants)-last; i++ {
		if h.grants[i] == h.grants[i-1] {
			again++
		}
	}
	// Who ended the warm-up alone may begin the counted slice.
	if total < 10 || again > 1 {
		t.Errorf("%d of %d grants went to the client that had just released", again, total)
	}
}

// A lock that excludes nobody is measured, and found out.
func TestContendedNone(t *testing.T) {
	t.Parallel()
	c := quick()
	c.Hold = 2 * time.Millisecond
	none := bench.Side{Name: "none", Open: func(context.Context, int) (locks.Locker, error) { return control.NewNone("x"), nil }}
	out, err := bench.MeasureContended(t.Context(), c, 4, nil, nil, none)
	if err != nil {
		t.Fatal(err)
	}
	if out[0].Overlaps == 0 {
		t.Errorf("no overlap in %d grants of a lock that grants everything", out[0].Grants)
	}
}

// Memory is counted for each lock, whatever was there before.
func TestMemory(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	memory := func(context.Context) (int64, error) { return 1_000_000 + 100*h.held.Load(), nil }
	m, err := bench.MeasureMemory(t.Context(), quick(), 20, memory, h.local("bare", 0), h.local("lock", 0))
	if err != nil {
		t.Fatal(err)
	}
	h.leftNothing(t)
	if m.Locks < 1 || m.Lock.Median != 100 || m.Bare.Median != 100 || m.Ratio.Value != 1 {
		t.Errorf("100 bytes a lock were measured as %+v", m)
	}
}

// An interruption returns what there is, soon, and leaves nothing behind.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	c := quick()
	c.Duration = time.Hour
	for name, measure := range map[string]func(context.Context, bench.Side) error{
		"uncontended": func(ctx context.Context, s bench.Side) error {
			_, err := bench.MeasureUncontended(ctx, c, 3, s)
			return err
		},
		"contended": func(ctx context.Context, s bench.Side) error {
			_, err := bench.MeasureContended(ctx, c, 3, nil, nil, s)
			return err
		},
	} {
		h := newHall(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		start := time.Now()
		err := measure(ctx, h.local("lock", 0))
		if !errors.Is(err, context.Canceled) || time.Since(start) > 10*time.Second {
			t.Errorf("%s: ended after %v with %v", name, time.Since(start), err)
		}
		h.leftNothing(t)
	}
}

// An interrupt in the first slice leaves what was measured until then.
func TestInterruptedSlice(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lock := h.local("lock", 0)
	open := lock.Open
	lock.Open = func(ctx context.Context, client int) (locks.Locker, error) {
		l, err := open(ctx, client)
		return &cancelling{Locker: l, after: 5, cancel: cancel}, err
	}
	u, err := bench.MeasureUncontended(ctx, bench.Config{Duration: time.Hour}, 1, lock)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if m := u.Side("lock"); m.Acquire.N != 4 || m.Rate.Median <= 0 { // one of the five warmed the client up
		t.Errorf("measured %+v", m)
	}
	h.leftNothing(t)
}

// A cancelling lock grants so often, and ends the measurement while it is asked once more.
type cancelling struct {
	locks.Locker
	after  int
	cancel func()
}

func (c *cancelling) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if c.after--; c.after < 0 {
		c.cancel()
		return nil, ctx.Err()
	}
	return c.Locker.Acquire(ctx, name)
}

// A plan goes on after a measurement that went wrong, and says what did.
func TestMeasureGoesOn(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	var opens atomic.Int64
	broken := errors.New("the third client is broken")
	lock := h.local("lock", 0)
	open := lock.Open
	lock.Open = func(ctx context.Context, client int) (locks.Locker, error) {
		if opens.Add(1) == 3 {
			return nil, broken
		}
		return open(ctx, client)
	}
	b := bench.Measure(t.Context(), quick(), bench.Plan{Clients: []int{1, 4}, Waiters: []int{2}},
		bench.Target{Backend: "x", Ways: []bench.Way{{Mode: bench.Exclusive, Lock: lock}}}, func(string) {})
	h.leftNothing(t)
	if len(b.Errors) != 1 || !strings.Contains(b.Errors[0], broken.Error()) {
		t.Errorf("errors %q", b.Errors)
	}
	if b.With(1, bench.Exclusive) == nil || b.With(4, bench.Exclusive) != nil || len(b.Contended) != 1 {
		t.Errorf("measured %+v", b)
	}
}

func TestJain(t *testing.T) {
	for _, row := range []struct {
		shares []int64
		want   float64
	}{
		{[]int64{5, 5, 5, 5}, 1},
		{[]int64{9, 0, 0}, 1.0 / 3},
		{[]int64{1, 2, 3}, 36.0 / 42}, // (1+2+3)² / (3·(1+4+9))
		{[]int64{0, 0}, 0},
		{nil, 0},
	} {
		if got := bench.Jain(row.shares); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("Jain(%v) = %v, want %v", row.shares, got, row.want)
		}
	}
}

func ExampleReport_Compare() {
	rate := func(backend, side string, v float64) bench.Backend {
		return bench.Backend{Backend: backend, Uncontended: []bench.Uncontended{{Mode: bench.Exclusive, Clients: 1,
			Sides: []bench.Measured{{Side: side, Rate: bench.Spread{Median: v}}}}}}
	}
	r := bench.Report{Backends: []bench.Backend{rate("redis-set", bench.BareSide, 40_000), rate("redlock", bench.LockSide, 6_000)}}
	r.Compare()
	for _, a := range r.Articles {
		fmt.Printf("%s: they %s, %.2f of the first; we %.0f, %.2f of the first\n", a.What, a.Theirs, a.OfFirst, a.Ours, a.OursOf)
	}
	// Output:
	// bare SET NX: they 95,000/s, 1.00 of the first; we 80000, 1.00 of the first
	// Redlock: they 18,000/s, 0.19 of the first; we 12000, 0.15 of the first
}
