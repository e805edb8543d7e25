package redlock

import (
	"context"
	"fmt"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A lease is a quorum of keys with this owner's value.
type lease struct {
	attempt.Grant
	redlock *Redlock
	key     string
}

var (
	_ locks.Bounded = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Release deletes the key on all nodes. It has released the lock if so many nodes still had
// the key that no other client could have been granted, and if so many are now free that one
// can: for Redlock both are the quorum, for a lock that needs all nodes the first is a single
// one. ErrNotHeld says that too few had it: another may hold the lock. Where that depends on
// nodes that did not answer the outcome is unknown.
func (l *lease) Release(ctx context.Context) error {
	r := l.redlock
	t := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.unset(ctx, l.key, l.Value) })
	had, silent, bar := t.votes[granted], t.votes[silent], len(r.nodes)-r.quorum+1
	switch {
	case had >= bar && len(r.nodes)-silent >= r.quorum:
		return nil
	case had+silent < bar:
		return fmt.Errorf("%w: %d of %d nodes had it, and %d keep others out", locks.ErrNotHeld, had, len(r.nodes), bar)
	}
	return fmt.Errorf("release: %w", t.err)
}
