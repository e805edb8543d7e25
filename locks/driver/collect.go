package driver

import (
	"context"
	"fmt"
	"time"
)

// Collect lets the driver's runtime collect garbage with its world stopped, in one pause of at
// least so long, and returns how long the runtime says that it was. The error wraps
// errors.ErrUnsupported if the driver knows no such thing. It may have to fill its memory
// first, in which there are shorter pauses.
func (c *Client) Collect(ctx context.Context, least time.Duration) (time.Duration, error) {
	a := c.call(ctx, request{Op: opCollect, Least: int64(least)})
	if err := a.error(); err != nil {
		return 0, fmt.Errorf("collect: %w", err)
	}
	took := time.Duration(a.reply.Took)
	if took < least {
		return took, fmt.Errorf("collect: the driver stopped its world for %v, not for %v", took, least)
	}
	return took, nil
}

// Echo returns when the driver has answered what it must answer at once: its
// clock is set to what it is. That it has no clock to set is an answer too.
func (c *Client) Echo(ctx context.Context) error {
	c.mu.Lock()
	offset := c.offset
	c.mu.Unlock()
	return c.call(ctx, request{Op: opClock, Offset: offset}).err
}
