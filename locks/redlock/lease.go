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

// Release deletes the key on all nodes. It succeeds under two conditions: enough nodes still
// had the key to keep every other client from a grant, and enough nodes are free now for the
// next grant. For Redlock on an odd number of nodes both numbers are the quorum; for a lock
// that needs all nodes the first number is one. ErrNotHeld means that too few nodes had the
// key, and another client may hold the lock. If nodes without an answer decide, the outcome is
// unknown.
func (l *lease) Release(ctx context.Context) error {
	r := l.redlock
	t := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.unset(ctx, l.key, l.Value) })
	had, silent, bar := t.votes[granted], t.votes[silent], len(r.nodes)-r.quorum+1
	switch {
	case had >= bar && len(r.nodes)-silent >= r.quorum:
		return nil
	case had+silent < bar:
		return fmt.Errorf("%w: %d of %d nodes had it, %d are needed to exclude others", locks.ErrNotHeld, had, len(r.nodes), bar)
	}
	return fmt.Errorf("release: %w", t.err)
}
