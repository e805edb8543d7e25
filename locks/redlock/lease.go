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

// Release deletes the key on all nodes. It succeeds if so many nodes still had the key that no
// other client could have been granted the lock, and if so many are now free that another client
// can be. For Redlock both numbers are the quorum; for a lock that needs all nodes the first is
// one. ErrNotHeld means that too few nodes had the key, and another client may hold the lock. If
// nodes without an answer decide, the outcome is unknown.
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
