package driver

import (
	"context"
	"time"
)

// Pid returns the process id of the child.
func (c *Client) Pid() int { return c.proc.PID() }

// Pause stops the child (SIGSTOP) and returns once all its threads are seen stopped.
func (c *Client) Pause(ctx context.Context) error {
	c.calls.stopped.Store(true)
	err := c.proc.Pause(ctx)
	if err != nil {
		c.calls.stopped.Store(false)
	}
	return err
}

// Resume continues the child (SIGCONT) and returns once it is seen running.
func (c *Client) Resume(ctx context.Context) error {
	err := c.proc.Resume(ctx)
	c.calls.stopped.Store(false)
	return err
}

// Kill kills the child (SIGKILL) and returns once it is gone. Waiting calls return an error of
// unknown outcome. A second Kill has no effect.
func (c *Client) Kill(ctx context.Context) error {
	c.killed.Store(true)
	return c.proc.Kill(ctx)
}

// SetClock sets the child's clock, as its lock sees it, to the host's time plus offset.
func (c *Client) SetClock(ctx context.Context, offset time.Duration) error {
	if c.host != nil {
		if err := c.host.Set(offset); err != nil {
			return err
		}
	}
	err := c.calls.make(ctx, request{Op: opClock, Offset: int64(offset)}).error()
	if err == nil {
		c.calls.offset.Store(int64(offset))
	}
	return err
}

// Close ends the driver. Its lock drops the connections and releases nothing.
func (c *Client) Close() error {
	if !c.closing.CompareAndSwap(false, true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.calls.grace)
	defer cancel()
	if !c.calls.stopped.Load() {
		// The answer is irrelevant: the process ends below either way.
		_ = c.calls.make(ctx, request{Op: opClose})
	}
	return c.fault(c.destroy())
}

// destroy kills the child, frees its resources, and reports processes that it left behind.
func (c *Client) destroy() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	err := c.proc.Kill(ctx)
	c.calls.pipe.close()
	return err
}
