package server

import (
	"context"
	"fmt"
	"time"
)

// clockSlack is the tolerated difference between the time that a node reports and the time that was
// set.
const clockSlack = time.Millisecond

// clockTime bounds the time in which a node must report a new time. The node reads its clock at
// every request, so only a stopped node needs long.
const clockTime = 5 * time.Second

// A Clock is the wall clock of one node, which can be moved.
type Clock interface {
	Set(offset time.Duration, rate float64) error
	At(t time.Time) time.Time // the time of this clock when the host's clock shows t
}

// SkewClock moves the clock of a running node and returns once the node itself reports the new
// time.
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
	// A rate becomes visible only after a while.
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
			err = fmt.Errorf("it reports %v, not %v", told, after)
		}
		if ctx.Err() != nil {
			return err
		}
		pause(ctx, pollTime)
	}
}
