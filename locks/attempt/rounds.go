package attempt

import (
	"context"
	"fmt"

	"locktorture/locks"
)

// A Round is the result of asking several servers once each for their votes.
type Round struct {
	// Lease is nil if the round was not granted.
	Lease locks.Lease
	// Refusal is the reason why the round was not granted.
	Refusal error
	// Doubt is set if a request of the round may still take the lock on some server, or holds
	// it there. From then on no refusal is certain. A later grant is certain, because each
	// round uses a new owner value.
	Doubt error
}

// error returns the error of a call that ends with this round.
func (r Round) error() error {
	if r.Doubt != nil {
		return fmt.Errorf("acquire is in doubt: %w (%w)", r.Doubt, r.Refusal)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, r.Refusal)
}

// Rounds repeats rounds until one is granted or ctx is done. Unlike Spin it goes on after an
// unanswered request, because a quorum does not depend on every server. It uses only Pause and
// Clock of the Terms.
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

// Round makes a single round.
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
