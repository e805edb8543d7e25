package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// Terms define how a client sends requests: how long it waits for an answer, how it reads an
// error, and when it asks again. Rounds uses only Pause and Clock; all other calls need every
// field except Connect.
type Terms struct {
	// Timeout bounds the wait for the answer to one request.
	Timeout time.Duration
	// Grace is how long a request may outlive the deadline of its caller. Without it the
	// outcome of a request under way at the deadline would be unknown.
	Grace time.Duration
	// Certain reports whether an error proves that a request changed nothing.
	Certain func(error) bool
	// Pause draws the time until a waiter's next try. It must be safe for concurrent use.
	Pause func() time.Duration
	Clock locks.Clock
	// Connect, if not nil, makes sure before each request that there is a connection. Its
	// errors are certain, because nothing was sent yet.
	Connect func(context.Context) error
}

// A Try sends one request for a lock. It returns true for a grant and false for a refusal.
type Try func(ctx context.Context) (bool, error)

// Request returns the context of one request: it ends after Timeout, and outlives the caller's
// deadline by Grace.
func (t *Terms) Request(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(t.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Add(t.Grace).Before(end) {
		end = d.Add(t.Grace)
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}

// Once tries a single time.
func (t *Terms) Once(ctx context.Context, try Try) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	if t.Connect != nil {
		if err := t.Connect(ctx); err != nil {
			return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
	}
	rctx, cancel := t.Request(ctx)
	defer cancel()
	granted, err := try(rctx)
	return Outcome(granted, err, t.Certain)
}

// Spin tries until a grant, the end of ctx, or an unanswered request. It stops at an
// unanswered request because that request may still be carried out: no later refusal could
// make the outcome of the call certain.
func (t *Terms) Spin(ctx context.Context, try Try) error {
	_, err := Retry(ctx, t.Clock, t.Pause, func() (struct{}, error) { return struct{}{}, t.Once(ctx, try) })
	return err
}

// Retry repeats attempts as Spin does, for callers that do not use Terms.Once.
func Retry[L any](ctx context.Context, clock locks.Clock, pause func() time.Duration, once func() (L, error)) (L, error) {
	for {
		l, err := once()
		if err == nil || !errors.Is(err, locks.ErrNotAcquired) {
			return l, err
		}
		if Wait(ctx.Done(), clock, pause()); ctx.Err() != nil {
			return l, GaveUp(ctx, err)
		}
	}
}

// GaveUp returns the error of a waiter whose ctx is done. refusal is the answer to its last try.
func GaveUp(ctx context.Context, refusal error) error {
	return fmt.Errorf("%w (%w)", refusal, ctx.Err())
}

// A Plan prepares one attempt: the lease that a grant returns, and the request for it.
type Plan[L locks.Lease] func(name string) (L, Try)

// Acquire spins until a request of the plan is granted.
func Acquire[L locks.Lease](ctx context.Context, t *Terms, plan Plan[L], name string) (locks.Lease, error) {
	l, try := plan(name)
	if err := t.Spin(ctx, try); err != nil {
		return nil, err
	}
	return l, nil
}

// TryAcquire sends the request of the plan once.
func TryAcquire[L locks.Lease](ctx context.Context, t *Terms, plan Plan[L], name string) (locks.Lease, error) {
	l, try := plan(name)
	if err := t.Once(ctx, try); err != nil {
		return nil, err
	}
	return l, nil
}
