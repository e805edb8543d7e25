package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

var errSilent, errRefused = errors.New("no answer"), errors.New("refused")

// terms returns the Terms of a service whose only certain error is errRefused.
func terms() *attempt.Terms {
	return &attempt.Terms{
		Timeout: time.Minute, Grace: time.Second, Clock: locks.SystemClock{},
		Certain: func(err error) bool { return errors.Is(err, errRefused) || attempt.NotSent(err) },
		Pause:   attempt.Pauses(time.Microsecond, time.Microsecond, attempt.Rand(nil)),
	}
}

// answers gives one answer after the other, and counts.
func answers(n *int, all ...any) attempt.Try {
	return func(context.Context) (bool, error) {
		a := all[min(*n, len(all)-1)]
		*n++
		granted, _ := a.(bool)
		err, _ := a.(error)
		return granted, err
	}
}

// The rule: what was not answered makes the call uncertain, and nothing that follows could
// mend that.
func TestAnUnansweredRequestEndsTheCall(t *testing.T) {
	for why, c := range map[string]struct {
		all     []any
		asked   int
		granted bool
	}{
		"granted at once":                  {[]any{true}, 1, true},
		"held, refused, not sent, granted": {[]any{false, errRefused, &attempt.NotSentError{Err: errSilent}, true}, 4, true},
		"silence":                          {[]any{errSilent, true}, 1, false},
		"silence after refusals":           {[]any{false, false, errSilent, true}, 3, false},
		"a refusal behind a silence":       {[]any{attempt.Halfway("expire", errRefused), true}, 1, false},
	} {
		n := 0
		err := terms().Spin(t.Context(), answers(&n, c.all...))
		if n != c.asked || (err == nil) != c.granted || errors.Is(err, locks.ErrNotAcquired) {
			t.Errorf("%s: asked %d times: %v", why, n, err)
		}
	}
}

func TestOnceIsCertainOnlyOfRefusals(t *testing.T) {
	for err, certain := range map[error]bool{
		errRefused: true, errSilent: false,
		&attempt.NotSentError{Err: errSilent}:                      true,
		fmt.Errorf("take: %w", locks.ErrNotAcquired):               false, // the cause of a silence says nothing about the call
		context.DeadlineExceeded:                                   false,
		attempt.Halfway("x", attempt.Taken()):                      false,
		attempt.Unanswered(attempt.Taken()):                        false,
		fmt.Errorf("w: %w", &attempt.NotSentError{Err: errSilent}): true,
	} {
		n := 0
		if got := terms().Once(t.Context(), answers(&n, err)); got == nil || errors.Is(got, locks.ErrNotAcquired) != certain {
			t.Errorf("%v: %v, want certain: %v", err, got, certain)
		}
	}
}

// Who has given up asks nothing; a waiter that gives up says why it was refused.
func TestSpinEndsWithItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := terms().Spin(ctx, func(context.Context) (bool, error) {
		if n++; n == 3 {
			cancel()
		}
		return false, nil
	})
	if n != 3 || !errors.Is(err, locks.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
		t.Errorf("asked %d times: %v", n, err)
	}
	if err := terms().Once(ctx, answers(&n, true)); n != 3 || !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("asked once more, after the end: %v", err)
	}
}

// A request outlives the deadline of its caller by the grace, and no cancellation ends it.
func TestRequestIsGraced(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	rctx, end := terms().Request(ctx)
	defer end()
	caller, _ := ctx.Deadline()
	if d, _ := rctx.Deadline(); d.Sub(caller) != time.Second {
		t.Errorf("it ends %v after its caller, want the grace of 1 s", d.Sub(caller))
	}
	cancel()
	if rctx.Err() != nil {
		t.Error("the end of the caller ended the request")
	}
}

// A doubt about one round stays for the call, unless a later round is granted.
func TestRoundsRememberADoubt(t *testing.T) {
	rounds := []attempt.Round{{Refusal: errRefused, Doubt: errSilent}, {Refusal: errRefused}, {Refusal: errRefused}}
	ask := func(end int, granted bool) (locks.Lease, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		return terms().Rounds(ctx, func(context.Context) attempt.Round {
			r := rounds[n]
			if n++; n == end {
				cancel()
				if granted {
					r = attempt.Round{Lease: lease{}}
				}
			}
			return r
		})
	}
	if _, err := ask(3, false); errors.Is(err, locks.ErrNotAcquired) || !errors.Is(err, errSilent) || !errors.Is(err, context.Canceled) {
		t.Errorf("two refusals after a doubt: %v", err)
	}
	if l, err := ask(2, true); l == nil || err != nil {
		t.Errorf("a grant after a doubt: %v", err)
	}
	rounds[0].Doubt = nil
	if _, err := ask(3, false); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("three refusals: %v", err)
	}
}

type lease struct{}

func (lease) Release(context.Context) error { return nil }

// What was sent again is remembered, whatever comes of it.
func TestInsist(t *testing.T) {
	final := errors.New("final")
	i := &attempt.Insister{
		Pause: time.Microsecond, Clock: locks.SystemClock{},
		Final: func(err error) bool { return errors.Is(err, final) },
		Open:  func(err error) bool { return errors.Is(err, errSilent) },
	}
	for why, c := range map[string]struct {
		all   []error
		again bool
		err   error
	}{
		"answered":             {[]error{nil}, false, nil},
		"after a refusal":      {[]error{errRefused, nil}, false, nil},
		"after a silence":      {[]error{errSilent, errRefused, nil}, true, nil},
		"denied after silence": {[]error{errSilent, final}, true, final},
	} {
		n := 0
		_, again, err := attempt.Insist(t.Context(), i, func(context.Context) (int, error) {
			n++
			return 0, c.all[n-1]
		})
		if again != c.again || !errors.Is(err, c.err) || n != len(c.all) {
			t.Errorf("%s: asked %d times, again %v: %v", why, n, again, err)
		}
	}
}

// An attempt costs what it costs to make the context of a request.
func TestOnceAllocatesNothingElse(t *testing.T) {
	s, try := terms(), attempt.Try(func(context.Context) (bool, error) { return true, nil })
	ctx := t.Context()
	request := testing.AllocsPerRun(200, func() { _, cancel := s.Request(ctx); cancel() })
	if got := testing.AllocsPerRun(200, func() { _ = s.Spin(ctx, try) }); got > request {
		t.Errorf("%v allocations for an attempt, %v of them for its context", got, request)
	}
	type plan = attempt.Plan[lease]
	p := plan(func(string) (lease, attempt.Try) { return lease{}, try })
	if got := testing.AllocsPerRun(200, func() { _, _ = attempt.Acquire(ctx, s, p, "x") }); got > request {
		t.Errorf("%v allocations for an acquire, %v of them for its context", got, request)
	}
}
