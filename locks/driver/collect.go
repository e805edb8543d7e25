package driver

import (
	"context"
	"fmt"
	"time"
)

// Collect makes the driver's runtime collect garbage with its world stopped, in one pause of at
// least the given length, and returns the length that the runtime reports. The runtime may have to
// fill its memory first, with shorter pauses. The error wraps errors.ErrUnsupported if the driver
// does not support the request.
func (c *Client) Collect(ctx context.Context, least time.Duration) (time.Duration, error) {
	a := c.calls.make(ctx, request{Op: opCollect, Least: int64(least)})
	if err := a.error(); err != nil {
		return 0, fmt.Errorf("collect: %w", err)
	}
	took := time.Duration(a.reply.Took)
	if took < least {
		return took, fmt.Errorf("collect: the driver stopped its world for %v, not for %v", took, least)
	}
	return took, nil
}

// Echo returns when the driver has answered a request that needs no server: setting the clock to
// its present offset. A refusal counts as an answer.
func (c *Client) Echo(ctx context.Context) error {
	return c.calls.make(ctx, request{Op: opClock, Offset: c.calls.offset.Load()}).err
}
