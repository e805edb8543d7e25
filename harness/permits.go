package harness

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"locktorture/locks"
)

// oneMore is how long a permit is asked for that there is not.
const oneMore = 200 * time.Millisecond

// countPermits asks each semaphore, when nobody else does any more and all faults are healed,
// for all of its permits at once (one after another, where it gives them singly), and then for
// one more. The first must be had as soon as a lock must be free: else permits were lost. The
// second must be refused: else there is one too many. Both stand in the history as any acquire
// does.
func (r *Run) countPermits(ctx context.Context) {
	if r.cfg.Traits.Kind != locks.Semaphore {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.capacities)) {
		if err := r.countPermitsOf(ctx, name, r.capacities[name]); err != nil && ctx.Err() == nil {
			r.fail(err)
			return
		}
	}
}

func (r *Run) countPermitsOf(ctx context.Context, name string, capacity int) error {
	first, other := r.clients[0], r.clients[len(r.clients)-1]
	for _, c := range []*client{first, other} {
		if err := c.revive(ctx); err != nil {
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
		err = other.release(ctx, more)
	}
	return errors.Join(other.counted(err), first.giveBack(ctx, all))
}

// allPermits takes all permits of a semaphore, as many at a time as it gives. With an error it
// returns those that it got.
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

// giveBack releases permits. Once a release is unanswered the client is another process, which
// has none of the others.
func (c *client) giveBack(ctx context.Context, all []*held) error {
	for _, h := range all {
		if err := c.release(ctx, h); err != nil {
			return c.counted(err)
		}
	}
	return nil
}

// counts notes how many permits a semaphore has.
func (r *Run) counts(lock string, capacity int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.capacities[lock] = max(r.capacities[lock], capacity)
}

// counted takes the end of an operation whose outcome stands in the history: only a failure of
// the harness is left.
func (c *client) counted(err error) error {
	switch {
	case errors.Is(err, errUnknown):
		c.retire()
		return c.broken()
	case errors.Is(err, errDead), errors.Is(err, locks.ErrNotAcquired):
		return nil
	}
	return err
}
