package process

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

// A ClockedNode is a Node whose wall clock can be moved.
type ClockedNode struct{ *Node }

// SkewClock makes the node's clock run offset ahead of the host's (behind, if
// negative) and, from then on, rate times as fast. Offset 0 and rate 1 put it right.
// It returns once the node itself was seen to tell the new time. The clock stays as it is while the node is down; it can then
// only be put right.
func (n *ClockedNode) SkewClock(ctx context.Context, offset time.Duration, rate float64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	up := n.child.alive()
	if !up && (offset != 0 || rate != 1) {
		return fmt.Errorf("move clock of %s: %w", n.Name(), ErrDown)
	}
	if err := n.clock.Set(offset, rate); err != nil {
		return fmt.Errorf("move clock of %s: %w", n.Name(), err)
	}
	if !up {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, clockTime)
	defer cancel()
	if err := n.seeClock(ctx); err != nil {
		return err
	}
	if rate == 1 {
		return nil
	}
	// A rate shows after a while only.
	gain := max(rate-1, 1-rate)
	pause(ctx, min(time.Duration(float64(4*clockSlack)/gain), time.Second))
	return n.seeClock(ctx)
}

// seeClock returns nil once the node tells the time that it should.
func (n *ClockedNode) seeClock(ctx context.Context) error {
	ask := n.server.(clocked) // else it would be a *Node
	for {
		before := n.clock.At(time.Now())
		told, err := ask.now(ctx, n.Addr())
		after := n.clock.At(time.Now())
		if err == nil && told.After(before.Add(-clockSlack)) && told.Before(after.Add(clockSlack)) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("it tells %v, not %v", told, after)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("move clock of %s: %w", n.Name(), err)
		}
		pause(ctx, pollTime)
	}
}
