package redlock

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
)

// A round is one try on all nodes.
type round struct {
	lease *lease // of a grant
	// refusal says why there was none.
	refusal error
	// doubt is set if a request of the round may yet take, or still
	// has, the lock on some node: then no later refusal is certain.
	doubt error
}

// Acquire makes rounds until a grant or the end of ctx.
func (r *Redlock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	var last round
	var doubt error
	for ctx.Err() == nil {
		last = r.round(ctx, name)
		if last.lease != nil {
			return last.lease, nil
		}
		if last.doubt != nil {
			doubt = last.doubt
		}
		c, stop := r.cfg.Clock.After(r.pause())
		select {
		case <-c:
		case <-ctx.Done():
		}
		stop()
	}
	why := ctx.Err()
	if last.refusal != nil {
		why = fmt.Errorf("%w (%w)", last.refusal, why)
	}
	return nil, failure(why, doubt)
}

// TryAcquire makes one round.
func (r *Redlock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, failure(err, nil)
	}
	o := r.round(ctx, name)
	if o.lease != nil {
		return o.lease, nil
	}
	return nil, failure(o.refusal, o.doubt)
}

// failure is certain only if nothing is in doubt.
func failure(why, doubt error) error {
	if doubt != nil {
		return fmt.Errorf("acquire is in doubt: %w (%w)", doubt, why)
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, why)
}

// round asks all nodes once and releases on all of them unless it was granted.
func (r *Redlock) round(ctx context.Context, name string) round {
	key, owner := locks.Key("lock:", name), r.cfg.Owner+":"+rand.Text()
	start := r.cfg.Clock.Now()
	set := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.set(ctx, key, owner) })
	replied := r.cfg.Clock.Now()

	var o round
	if set.votes[granted] >= r.quorum {
		until, err := r.check(r.cfg, start, replied)
		if err == nil {
			o.lease = &lease{redlock: r, key: key, owner: owner, until: until}
			return o
		}
		o.refusal = err
	} else {
		o.refusal = fmt.Errorf("%d of %d nodes granted, %d needed", set.votes[granted], len(r.nodes), r.quorum)
	}
	unset := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.unset(ctx, key, owner) })
	o.doubt = set.err
	for i, v := range set.of {
		if v == granted && unset.of[i] == silent {
			o.doubt = fmt.Errorf("release of a refused round: %w", unset.err)
			break
		}
	}
	return o
}

// pauses draws random delays, which keep clients from splitting the vote again.
func pauses(c Config) func() time.Duration {
	var mu sync.Mutex
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return c.Retry/2 + time.Duration(c.Rand.Int64N(int64(c.Retry)))
	}
}
