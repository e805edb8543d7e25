package zookeeper

import (
	"context"

	"locktorture/locks"
)

// A NoRecheck is a Lock that takes the lock as soon as the node before its own is gone, without
// reading the queue again.
//
// Source: many tutorials, and a quick reading of the recipe. Clock: as Lock.
//
// It does not promise exclusion: if the predecessor was not the holder but a waiter that
// withdrew or died, its successor becomes a second holder. For the same reason it is not fair.
// It is not reentrant. All other promises of Lock hold.
type NoRecheck struct{ *client }

var _ locks.Locker = (*NoRecheck)(nil)

// NewNoRecheck returns a client; it connects when it is first used.
func NewNoRecheck(cfg Config) *NoRecheck { return &NoRecheck{newClient(cfg)} }

// NoRecheckTraits returns the lock's traits.
func NoRecheckTraits() locks.Traits { return sessionTraits() }

// Acquire waits until the node that was before its own when it came is gone.
func (l *NoRecheck) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return plain(l.take(ctx, name, func(ctx context.Context, e *entry) (view, error) {
		v, err := e.look(ctx)
		if err != nil {
			return v, err
		}
		// It has not checked that it is the first, so its token is only its place.
		if v.token, err = e.made(ctx); err != nil || len(v.ahead) == 0 {
			return v, err
		}
		return v, e.awaitGone(ctx, v.ahead[len(v.ahead)-1])
	}))
}
