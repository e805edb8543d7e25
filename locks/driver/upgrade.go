package driver

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

var (
	_ locks.Upgrader   = (*Lease)(nil)
	_ locks.Downgrader = (*Lease)(nil)
)

// Upgrade turns a reader's lease into a writer's through the child. It returns
// errors.ErrUnsupported if the lock cannot upgrade.
func (l *Lease) Upgrade(ctx context.Context) error {
	return l.calls.make(ctx, request{Op: opUpgrade, Lease: l.id}).error()
}

// Downgrade turns a writer's lease into a reader's, and otherwise works like Upgrade.
func (l *Lease) Downgrade(ctx context.Context) error {
	return l.calls.make(ctx, request{Op: opDowngrade, Lease: l.id}).error()
}

// change upgrades or downgrades a lease.
func (s *server) change(ctx context.Context, q request) error {
	k := s.leases.get(q.Lease)
	if k == nil {
		return fmt.Errorf("%s lease %d: %w", q.Op, q.Lease, locks.ErrNotHeld)
	}
	if q.Op == opUpgrade {
		if u, ok := k.lease.(locks.Upgrader); ok {
			return u.Upgrade(ctx)
		}
	} else if d, ok := k.lease.(locks.Downgrader); ok {
		return d.Downgrade(ctx)
	}
	return fmt.Errorf("%s: %w", q.Op, errors.ErrUnsupported)
}
