package redlock

import (
	"context"
	"fmt"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// Acquire makes rounds until one is granted or ctx is done.
func (r *Redlock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.terms.Rounds(ctx, func(ctx context.Context) attempt.Round { return r.round(ctx, name) })
}

// TryAcquire makes one round.
func (r *Redlock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.terms.Round(ctx, func(ctx context.Context) attempt.Round { return r.round(ctx, name) })
}

// round asks all nodes once. Unless the round is granted, it releases the lock on all of them.
func (r *Redlock) round(ctx context.Context, name string) attempt.Round {
	key, owner := locks.Key("lock:", name), attempt.Owner(r.cfg.Owner)
	start := r.cfg.Clock.Now()
	set := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.set(ctx, key, owner) })
	replied := r.cfg.Clock.Now()

	var o attempt.Round
	if set.votes[granted] >= r.quorum {
		until, err := r.check(r.cfg, start, replied)
		if err == nil {
			o.Lease = &lease{attempt.Grant{Name: name, Value: owner, End: until}, r, key}
			return o
		}
		o.Refusal = err
	} else {
		o.Refusal = fmt.Errorf("%d of %d nodes granted, %d needed", set.votes[granted], len(r.nodes), r.quorum)
	}
	unset := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.unset(ctx, key, owner) })
	o.Doubt = set.err
	for i, v := range set.of {
		if v == granted && unset.of[i] == silent {
			o.Doubt = fmt.Errorf("release of a refused round: %w", unset.err)
			break
		}
	}
	return o
}
