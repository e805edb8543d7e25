package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// Terms are how a client asks: how long it waits for an answer, what it makes of an error, and
// when it asks again. Rounds need only Pause and Clock, all else all but Connect.
type Terms struct {
	// Timeout is how long the answer to one request is waited for.
	Timeout time.Duration
	// Grace is by how much a request may outlive the deadline of its caller, so
	// that its outcome is known.
	Grace time.Duration
	// Certain tells whether an error proves that a request changed nothing.
	Certain func(error) bool
	// Pause draws the time until a waiter's next try. It must be safe for use by several
	// goroutines.
	Pause func() time.Duration
	Clock locks.Clock
	// Connect, if not nil, sees to it that there is a connection before a request is made. Its
	// errors are certain.
	Connect func(context.Context) error
}

// A Try is one request for a lock: true is a grant, false a refusal.
type Try func(ctx context.Context) (bool, error)

// Request makes the context of one request: it has a time-out of its own, and
// outlives the caller's deadline by the grace.
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

// Spin tries until a grant, the end of ctx, or an unanswered request: that one
// may still be carried out, so nothing after it could make the call certain.
func (t *Terms) Spin(ctx context.Context, try Try) error {
	_, err := Retry(ctx, t.Clock, t.Pause, func() (struct{}, error) { return struct{}{}, t.Once(ctx, try) })
	return err
}

// Retry is Spin for attempts that are made in another way than Terms.Once makes them.
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

// GaveUp is the last refusal of a waiter whose ctx is done.
func GaveUp(ctx context.Context, refusal error) error {
	return fmt.Errorf("%w (%w)", refusal, ctx.Err())
}

// A Plan makes the lease that will be granted, and the request that grants it.
type Plan[L locks.Lease] func(name string) (L, Try)

// Acquire spins until the request of a plan is granted.
func Acquire[L locks.Lease](ctx context.Context, t *Terms, plan Plan[L], name string) (locks.Lease, error) {
	l, try := plan(name)
	if err := t.Spin(ctx, try); err != nil {
		return nil, err
	}
	return l, nil
}

// TryAcquire makes the request of a plan once.
func TryAcquire[L locks.Lease](ctx context.Context, t *Terms, plan Plan[L], name string) (locks.Lease, error) {
	l, try := plan(name)
	if err := t.Once(ctx, try); err != nil {
		return nil, err
	}
	return l, nil
}
