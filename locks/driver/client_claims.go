package driver

import (
	"context"

	"locktorture/locks"
)

// AcquireShared takes a read–write lock in the child beside other readers, as Acquire does in
// all else.
func (c *Client) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modeShared})
}

// AcquirePermits takes permits of a semaphore in the child, as Acquire does in all else.
func (c *Client) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modePermits, Permits: n, Capacity: capacity})
}

// Campaign campaigns in the child, as Acquire does in all else.
func (c *Client) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modeCampaign, Value: value})
}

// Leader asks in the child who leads. The error wraps errors.ErrUnsupported if the lock cannot
// tell.
func (c *Client) Leader(ctx context.Context, name string) (value string, term uint64, err error) {
	a := c.call(ctx, request{Op: opLeader, Lock: name})
	if err := a.error(); err != nil {
		return "", 0, err
	}
	return a.reply.Value, a.reply.Token, nil
}
