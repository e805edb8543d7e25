package process

import (
	"context"
	"fmt"
	"time"

	"locktorture/cluster/server"
)

// A ClockedNode is a Node whose wall clock can be moved.
type ClockedNode struct{ *Node }

// SkewClock makes the node's clock run offset ahead of the host's clock (behind, if negative) and,
// from then on, rate times as fast. Offset 0 and rate 1 restore it. It returns once the node itself
// reports the new time. While the node is down, the clock can only be restored.
func (n *ClockedNode) SkewClock(ctx context.Context, offset time.Duration, rate float64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	switch {
	case n.child.Alive():
		// Only a Clocked kind has a clock.
		err = server.SkewClock(ctx, n.kind.(server.Clocked), n.Addr(), n.clock, offset, rate)
	case offset != 0 || rate != 1:
		err = ErrDown
	default:
		err = n.clock.Set(offset, rate)
	}
	if err != nil {
		return fmt.Errorf("move clock of %s: %w", n.Name(), err)
	}
	return nil
}
