package harness

import (
	"context"
	"errors"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/workloads"
)

var _ workloads.Upgrader = (*holderStore)(nil)

// Upgrades reports whether the lock declares upgrades.
func (s *holderStore) Upgrades() bool { return s.client.run.cfg.Traits.Upgrades }

// Upgrade turns the section's reader lease into a writer's. It waits as long as an acquire does.
func (s *holderStore) Upgrade(ctx context.Context) (bool, error) {
	limit, _ := s.client.run.tail.patience()
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	u, ok := s.leases[0].lease.(locks.Upgrader)
	if !ok {
		return false, nil
	}
	err := s.leases[0].changeMode(wait, history.Upgrade, u.Upgrade)
	if errors.Is(err, locks.ErrNotAcquired) {
		return false, nil
	}
	return err == nil, err
}

// Downgrade turns the lease back into a reader's. If the lock refuses, the section ends.
func (s *holderStore) Downgrade(ctx context.Context) error {
	d, ok := s.leases[0].lease.(locks.Downgrader)
	if !ok {
		return workloads.ErrGone
	}
	err := s.leases[0].changeMode(ctx, history.Downgrade, d.Downgrade)
	if errors.Is(err, locks.ErrNotAcquired) {
		return workloads.ErrGone
	}
	return err
}

// changeMode carries out and records an upgrade or a downgrade of a lease.
func (h *held) changeMode(ctx context.Context, f history.F, do func(context.Context) error) error {
	life := &h.client.life
	op, err := life.invoke(history.Op{F: f, Lock: h.lock, Lease: h.number, Token: h.token})
	if err != nil {
		return err
	}
	err = do(ctx)
	over := ctx.Err() != nil
	if err == nil {
		if _, alive := life.completeAlive(op); alive {
			return nil
		}
		err = errDead
	}
	switch {
	case errors.Is(err, locks.ErrNotAcquired), errors.Is(err, locks.ErrNotHeld):
		if op.Refused = history.ByServer; over {
			op.Refused = history.ByTime
		}
		life.complete(op, history.Fail, err)
		if errors.Is(err, locks.ErrNotHeld) {
			return workloads.ErrGone
		}
		return err
	}
	life.complete(op, history.Info, err)
	if life.dead() {
		return errDead
	}
	return errUnknown
}
