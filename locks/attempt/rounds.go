package attempt

import (
	"context"
	"fmt"

	"locktorture/locks"
)

// A Round is what came of asking several servers once, each for its vote.
type Round struct {
	Lease locks.Lease // nil: there was no grant
	// Refusal says why there was none.
	Refusal error
	// Doubt is set if a request of the round may yet take, or still has, the lock on
	// some server: then no later refusal is certain. A later grant is, because each
	// round asks for an owner of its own.
	Doubt error
}

// error is what a call returns that ends with this round.
func (r Round) error() error {
	if r.Doubt != nil {
		return fmt.Errorf("acquire is in doubt: %w (%w)", r.Doubt, r.Refusal)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, r.Refusal)
}

// Rounds makes rounds until a grant or the end of ctx. Unlike Spin it goes on after
// an unanswered request, because a quorum does not depend on each server.
func (t *Terms) Rounds(ctx context.Context, round func(context.Context) Round) (locks.Lease, error) {
	var all Round
	for ctx.Err() == nil {
		r := round(ctx)
		if r.Lease != nil {
			return r.Lease, nil
		}
		all.Refusal = r.Refusal
		if r.Doubt != nil {
			all.Doubt = r.Doubt
		}
		Wait(ctx.Done(), t.Clock, t.Pause())
	}
	if all.Refusal == nil {
		all.Refusal = ctx.Err()
	} else {
		all.Refusal = GaveUp(ctx, all.Refusal)
	}
	return nil, all.error()
}

// Round makes one round.
func (t *Terms) Round(ctx context.Context, round func(context.Context) Round) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, Round{Refusal: err}.error()
	}
	r := round(ctx)
	if r.Lease != nil {
		return r.Lease, nil
	}
	return nil, r.error()
}
