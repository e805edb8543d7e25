package harness

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A tally counts what the clients do.
type tally struct {
	ops, grants, refused atomic.Int64

	mu      sync.Mutex
	backlog Backlog
}

// report calls Progress about four times a second.
func (r *Run) report(ctx context.Context) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.cfg.Progress(r.progress())
		case <-ctx.Done():
			return
		}
	}
}

func (r *Run) progress() Progress {
	p := Progress{
		Elapsed: time.Since(r.opened), Tail: r.tail.hasBegun(),
		Ops: r.tally.ops.Load(), Grants: r.tally.grants.Load(), Refused: r.tally.refused.Load(),
	}
	p.InPlace, p.Struck = r.faults.soFar()
	return p
}
