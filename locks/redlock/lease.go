package redlock

import (
	"context"
	"fmt"
	"time"

	"locktorture/locks"
)

// A lease is a quorum of keys with this owner's value.
type lease struct {
	redlock *Redlock
	key     string
	owner   string
	until   time.Time
}

var (
	_ locks.Bounded = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Until is the end of the validity, by the client's clock.
func (l *lease) Until() time.Time { return l.until }

// Owner is the value of the keys.
func (l *lease) Owner() string { return l.owner }

// Release deletes the key on all nodes. ErrNotHeld says that fewer than a
// quorum had it; if some did not answer and a quorum of deletions was not
// reached without them, the outcome is unknown.
func (l *lease) Release(ctx context.Context) error {
	r := l.redlock
	t := r.ask(ctx, func(ctx context.Context, n *node) (vote, error) { return n.unset(ctx, l.key, l.owner) })
	switch {
	case t.votes[granted] >= r.quorum:
		return nil
	case t.votes[granted]+t.votes[silent] < r.quorum:
		return fmt.Errorf("%w: %d of %d nodes had it", locks.ErrNotHeld, t.votes[granted], len(r.nodes))
	}
	return fmt.Errorf("release: %w", t.err)
}
