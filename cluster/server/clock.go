package server

import (
	"context"
	"fmt"
	"time"
)

// clockSlack is how far a node's answer may be from the clock that it was
// given.
const clockSlack = time.Millisecond

// clockTime is how long a node may take to tell a new time; it asks the clock
// anew each time, so that only one that is stopped takes long.
const clockTime = 5 * time.Second

// A Clock is the wall clock of one node, which can be moved.
type Clock interface {
	Set(offset time.Duration, rate float64) error
	At(t time.Time) time.Time // what it says when the host's says t
}

// SkewClock moves the clock of a node that runs and returns once the node itself reports the
// new time.
func SkewClock(ctx context.Context, k Clocked, addr string, c Clock, offset time.Duration, rate float64) error {
	if err := c.Set(offset, rate); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	if err := seeClock(ctx, k, addr, c); err != nil {
		return err
	}
	if rate == 1 {
		return nil
	}
	// A rate shows after a while only.
	gain := max(rate-1, 1-rate)
	pause(ctx, min(time.Duration(float64(4*clockSlack)/gain), time.Second))
	return seeClock(ctx, k, addr, c)
}

// seeClock returns nil once the node reports the expected time.
func seeClock(ctx context.Context, k Clocked, addr string, c Clock) error {
	for {
		before := c.At(time.Now())
		told, err := k.Now(ctx, addr)
		after := c.At(time.Now())
		if err == nil && told.After(before.Add(-clockSlack)) && told.Before(after.Add(clockSlack)) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("it tells %v, not %v", told, after)
		}
		if ctx.Err() != nil {
			return err
		}
		pause(ctx, pollTime)
	}
}
