package harness

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"locktorture/locks"
)

// oneMore bounds the attempt to acquire a permit beyond the capacity.
const oneMore = 200 * time.Millisecond

// countPermits checks each semaphore after all faults are healed and all clients have stopped. It
// first acquires all permits, one by one if the semaphore grants single ones, and then one more.
// The first step must succeed within the time in which a lock must be free; otherwise permits were
// lost. The second must be refused; otherwise there is a permit too many. Both are recorded as
// ordinary acquires.
func (r *Run) countPermits(ctx context.Context) {
	if r.cfg.Traits.Kind != locks.Semaphore {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.demand.capacities)) {
		if err := r.countPermitsOf(ctx, name, r.demand.capacities[name]); err != nil && ctx.Err() == nil {
			r.Fail(err)
			return
		}
	}
}

func (r *Run) countPermitsOf(ctx context.Context, name string, capacity int) error {
	first, other := r.clients[0], r.clients[len(r.clients)-1]
	for _, c := range []*client{first, other} {
		if err := c.life.revive(ctx); err != nil {
			return err
		}
	}
	waited, cancel := context.WithTimeout(ctx, r.cfg.Tail)
	defer cancel()
	all, err := first.allPermits(waited, name, capacity)
	if err != nil {
		return errors.Join(first.counted(err), first.giveBack(ctx, all))
	}
	briefly, cancel := context.WithTimeout(ctx, oneMore)
	defer cancel()
	more, err := other.acquire(briefly, name, false, locks.Claim{Permits: 1, Capacity: capacity})
	if err == nil {
		err = more.release(ctx)
	}
	return errors.Join(other.counted(err), first.giveBack(ctx, all))
}

// allPermits acquires all permits of a semaphore in as few calls as possible. It returns the
// acquired permits even with an error.
func (c *client) allPermits(ctx context.Context, name string, capacity int) (all []*held, err error) {
	each := capacity
	if c.run.cfg.Traits.Single {
		each = 1
	}
	for range capacity / each {
		h, err := c.acquire(ctx, name, false, locks.Claim{Permits: each, Capacity: capacity})
		if err != nil {
			return all, err
		}
		all = append(all, h)
	}
	return all, nil
}

// giveBack releases permits. It stops at an unanswered release, because the client then gets a new
// process number, which holds none of the other permits.
func (c *client) giveBack(ctx context.Context, all []*held) error {
	for _, h := range all {
		if err := h.release(ctx); err != nil {
			return c.counted(err)
		}
	}
	return nil
}

// counted drops an error that is recorded as the outcome of an operation. It returns only failures
// of the harness.
func (c *client) counted(err error) error {
	switch {
	case errors.Is(err, errUnknown):
		c.life.retire()
		return c.life.broken()
	case errors.Is(err, errDead), errors.Is(err, locks.ErrNotAcquired):
		return nil
	}
	return err
}
