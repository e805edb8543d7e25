package attempt_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A renewed lease answers its renewals as a test says.
type renewed struct {
	attempt.Kept
	renewals atomic.Int64
	renew    func(n int64) error
}

func (r *renewed) Renew(context.Context) error { return r.renew(r.renewals.Add(1)) }

// keep starts a watchdog that renews every millisecond.
func keep(ctx context.Context, until time.Duration, renew func(n int64) error) *renewed {
	r := &renewed{Kept: attempt.NewKept(time.Now().Add(until)), renew: renew}
	attempt.Watchdog{Period: time.Millisecond, Pause: func() time.Duration { return time.Millisecond }, Clock: locks.SystemClock{}}.Keep(ctx, r)
	return r
}

func lost(t *testing.T, l *renewed) {
	t.Helper()
	select {
	case <-l.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the loss was never told")
	}
}

// The watchdog believes an answer, and no silence; the end of the validity it tells by itself.
func TestWatchdogTellsALossOnce(t *testing.T) {
	denied := keep(t.Context(), time.Minute, func(n int64) error {
		if n == 3 {
			return locks.ErrNotHeld
		}
		return nil
	})
	lost(t, denied)
	if n := denied.renewals.Load(); n != 3 {
		t.Errorf("%d renewals until the third was denied", n)
	}
	silent := keep(t.Context(), 100*time.Millisecond, func(int64) error { return errors.New("no answer") })
	lost(t, silent)
	if left := time.Until(silent.Until()); left > 0 || silent.renewals.Load() < 2 {
		t.Errorf("told %v before the end of the validity, after %d renewals", left, silent.renewals.Load())
	}
	if silent.Finish() || !silent.Over() {
		t.Error("a lost lease was released")
	}
}

// A release ends the watchdog, and no loss is told after it.
func TestReleaseEndsTheWatchdog(t *testing.T) {
	asked := make(chan struct{})
	answer := make(chan error)
	l := keep(t.Context(), time.Minute, func(n int64) error {
		if n == 1 {
			close(asked)
		}
		return <-answer
	})
	<-asked
	if !l.Finish() || l.Finish() {
		t.Error("a lease is released once")
	}
	answer <- locks.ErrNotHeld // of a renewal that was under way
	select {
	case answer <- nil:
		t.Error("it was renewed after the release")
	case <-l.Lost():
		t.Error("a loss was told after the release")
	case <-time.After(50 * time.Millisecond):
	}
}

// Renewals may be answered in another order than they were sent.
func TestExtendKeepsTheLatest(t *testing.T) {
	now := time.Now()
	k := attempt.NewKept(now)
	k.Extend(now.Add(time.Second))
	k.Extend(now.Add(time.Millisecond))
	if got := k.Until().Sub(now); got != time.Second {
		t.Errorf("valid for %v, want 1s", got)
	}
	ended := false
	k.Lose()
	k.Guard(func() { ended = true })
	if !ended {
		t.Error("a watchdog that comes after the loss was not ended")
	}
}
