package driver

import (
	"context"
	"fmt"

	"locktorture/locks"
)

// Acquire takes the lock in the child. When ctx ends, it cancels the call in the child and waits
// for the answer; if that is a grant after all, Acquire returns the lease. If no answer comes
// within the grace of the Command, the outcome is unknown, and a later grant is released at once.
func (c *Client) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name})
}

// TryAcquire asks without waiting, and otherwise works like Acquire. Its error wraps
// errors.ErrUnsupported if the lock has no such call (see Trier).
func (c *Client) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opTry, Lock: name})
}

// acquire sends a request that may grant a lease. A context that is done already is a certain
// refusal, because nothing was sent.
func (c *Client) acquire(ctx context.Context, q request) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	a := c.calls.make(ctx, q)
	if err := a.error(); err != nil {
		return nil, err
	}
	return a.lease, nil
}
