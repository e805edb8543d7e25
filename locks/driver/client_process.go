package driver

import (
	"context"
	"time"
)

// Pid returns the process id of the child.
func (c *Client) Pid() int { return c.proc.PID() }

// Pause stops the child (SIGSTOP) and returns once all its threads are seen to be stopped.
func (c *Client) Pause(ctx context.Context) error {
	c.stopped.Store(true)
	err := c.proc.Pause(ctx)
	if err != nil {
		c.stopped.Store(false)
	}
	return err
}

// Resume continues the child (SIGCONT) and returns once it is seen to run.
func (c *Client) Resume(ctx context.Context) error {
	err := c.proc.Resume(ctx)
	c.stopped.Store(false)
	return err
}

// Kill ends the child (SIGKILL) and returns once it is gone. Calls that wait for a reply return
// an error of unknown outcome. A second Kill has no effect.
func (c *Client) Kill(ctx context.Context) error {
	c.killed.Store(true)
	return c.proc.Kill(ctx)
}

// SetClock sets the offset of the child's clock, as its lock sees it, from the host's.
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

// Close ends the driver. Its lock drops the connections and releases nothing.
func (c *Client) Close() error {
	if !c.closing.CompareAndSwap(false, true) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	if !c.stopped.Load() {
		// The answer is irrelevant: the process ends below either way.
		_ = c.call(ctx, request{Op: opClose})
	}
	return c.fault(c.destroy())
}

// destroy waits for the child to end, kills it if it does not, and frees its resources.
func (c *Client) destroy() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	err := c.proc.Kill(ctx)
	c.inMu.Lock()
	defer c.inMu.Unlock()
	_ = c.in.Close()
	return err
}
