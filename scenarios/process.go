package scenarios

import (
	"context"
	"time"
)

// A Process is the process of a client.
type Process struct{ client *Client }

// Stop stops the process at its current step, and returns when it has stopped.
func (p Process) Stop() {
	c := p.client
	c.stage.step("stop "+c.name(), func(ctx context.Context) error {
		if err := c.scripted.Stop(ctx, "where the script has left it"); err != nil {
			return err
		}
		c.stage.later(c.scripted.Continue)
		return nil
	})
}

// Continue continues the process.
func (p Process) Continue() {
	p.client.stage.step("continue "+p.client.name(), p.client.scripted.Continue)
}

// Kill kills the process.
func (p Process) Kill() {
	p.client.stage.step("kill "+p.client.name(), func(ctx context.Context) error {
		return p.client.scripted.Kill(ctx, "where the script has left it")
	})
}

// SkewClock moves the clock of the process.
func (p Process) SkewClock(offset time.Duration) {
	p.client.stage.step("move the clock of "+p.client.name(), func(ctx context.Context) error { return p.client.scripted.SetClock(ctx, offset) })
}
