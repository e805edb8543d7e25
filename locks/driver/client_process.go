package driver

import (
	"context"
	"time"
)

// Pid is the process id of the child.
func (c *Client) Pid() int { return c.proc.PID() }

// Pause stops the child (SIGSTOP) and returns when all its threads were seen stopped.
func (c *Client) Pause(ctx context.Context) error {
	c.stopped.Store(true)
	err := c.proc.Pause(ctx)
	if err != nil {
		c.stopped.Store(false)
	}
	return err
}

// Resume continues the child (SIGCONT) and returns when it was seen to run.
func (c *Client) Resume(ctx context.Context) error {
	err := c.proc.Resume(ctx)
	c.stopped.Store(false)
	return err
}

// Kill ends the child (SIGKILL) and returns when it is gone. Calls that wait
// for a reply get an error of unknown outcome. A second Kill does nothing.
func (c *Client) Kill(ctx context.Context) error {
	c.killed.Store(true)
	return c.proc.Kill(ctx)
}

// SetClock moves the child's clock, as its lock sees it, by offset from the host's.
func (c *Client) SetClock(ctx context.Context, offset time.Duration) error {
	if c.host != nil {
		if err := c.host.Set(offset); err != nil {
			return err
		}
	}
	err := c.call(ctx, request{Op: opClock, Offset: int64(offset)}).error()
	if err == nil {
		c.mu.Lock()
		c.offset = int64(offset)
		c.mu.Unlock()
	}
	return err
}

// Close ends the driver. The lock drops its connections and releases nothing.
func (c *Client) Close() error {
	if !c.closing.CompareAndSwap(false, true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	if !c.stopped.Load() {
		// The answer does not matter: the process is gone after this either way.
		_ = c.call(ctx, request{Op: opClose})
	}
	return c.fault(c.destroy())
}

// destroy kills the child unless it ends by itself, and frees what it held.
func (c *Client) destroy() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	err := c.proc.Kill(ctx)
	c.inMu.Lock()
	defer c.inMu.Unlock()
	_ = c.in.Close()
	return err
}
