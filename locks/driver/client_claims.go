package driver

import (
	"context"

	"locktorture/locks"
)

// AcquireShared takes a read–write lock in the child as a reader; otherwise it works like
// Acquire.
func (c *Client) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modeShared})
}

// AcquirePermits takes permits of a semaphore in the child; otherwise it works like Acquire.
func (c *Client) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modePermits, Permits: n, Capacity: capacity})
}

// Campaign runs for leader in the child; otherwise it works like Acquire.
func (c *Client) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modeCampaign, Value: value})
}

// Leader asks the child for the leader. Its error wraps errors.ErrUnsupported if the lock does not
// support that.
func (c *Client) Leader(ctx context.Context, name string) (value string, term uint64, err error) {
	a := c.calls.make(ctx, request{Op: opLeader, Lock: name})
	if err := a.error(); err != nil {
		return "", 0, err
	}
	return a.reply.Value, a.reply.Token, nil
}
