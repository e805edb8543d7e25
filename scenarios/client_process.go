package scenarios

import (
	"context"
	"time"

	"locktorture/harness"
)

// Stop stops the client's process where the script has left it, and returns when it was seen stopped.
func (c *Client) Stop() {
	s := c.stage
	s.step("stop "+c.name(), func(ctx context.Context) error {
		if err := c.scripted.Stop(ctx, "where the script has left it"); err != nil {
			return err
		}
		s.later(c.scripted.Continue)
		return nil
	})
}

// Continue lets it go on.
func (c *Client) Continue() {
	c.stage.step("continue "+c.name(), c.scripted.Continue)
}

// Kill kills the client's process.
func (c *Client) Kill() {
	c.stage.step("kill "+c.name(), func(ctx context.Context) error {
		return c.scripted.Kill(ctx, "where the script has left it")
	})
}

// Revive starts the client's successor.
func (c *Client) Revive() { c.stage.step("revive "+c.name(), c.scripted.Revive) }

// SkewClock moves the client's own clock.
func (c *Client) SkewClock(offset time.Duration) {
	c.stage.step("move the clock of "+c.name(), func(ctx context.Context) error { return c.scripted.SetClock(ctx, offset) })
}

// A Pending is an acquire that is under way.
type Pending struct {
	client *Client
	done   chan struct{}
	grant  *harness.Grant
	err    error
}

// AcquireLater begins to acquire and returns at once.
func (c *Client) AcquireLater() *Pending { return c.begin(c.scripted.Acquire, 10*patience) }

// TryLater begins to try and returns at once.
func (c *Client) TryLater() *Pending { return c.begin(c.scripted.Try, 10*patience) }

// AcquireLaterWithin gives up after a while.
func (c *Client) AcquireLaterWithin(d time.Duration) *Pending { return c.begin(c.scripted.Acquire, d) }

func (c *Client) begin(call func(context.Context, string) (*harness.Grant, error), within time.Duration) *Pending {
	if c.stage.over() {
		return nil
	}
	p := &Pending{client: c, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(c.stage.ctx, within)
	c.stage.later(func(context.Context) error { cancel(); <-p.done; return nil })
	go func() {
		defer close(p.done)
		p.grant, p.err = call(ctx, c.stage.Lock)
	}()
	return p
}

// Wait waits for the answer; nil if it was not granted.
func (p *Pending) Wait() *Lease {
	if p == nil || p.client.stage.over() {
		return nil
	}
	select {
	case <-p.done:
	case <-p.client.stage.ctx.Done():
		return nil
	}
	p.client.refusal = p.err
	if p.err != nil {
		p.client.expected(p.err)
		return nil
	}
	return &Lease{p.grant, p.client}
}

// Answered tells whether the answer is there.
func (p *Pending) Answered() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
