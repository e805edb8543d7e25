package harness

import (
	"context"
	"errors"
	"fmt"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/workloads"
)

var _ workloads.Latcher = (*holderStore)(nil)

// beside returns the store for a section without a lease of the lock.
func (c *client) beside(lock string, s workloads.Section, fenced bool) *holderStore {
	return &holderStore{client: c, leases: []*held{{client: c, lock: lock, unwatch: func() {}}}, hold: s.Hold, fenced: fenced}
}

// SetCount creates a latch and records the call.
func (s *holderStore) SetCount(ctx context.Context, l workloads.Latch) error {
	return s.client.change(ctx, history.Op{F: history.SetCount, Lock: l.Name(), Parties: l.Count}, func(ctx context.Context, on locks.Latch) error {
		return on.SetCount(ctx, l.Name(), l.Count)
	})
}

// CountDown counts down the latch for a party and records the call.
func (s *holderStore) CountDown(ctx context.Context, l workloads.Latch, party string) error {
	op := history.Op{F: history.CountDown, Lock: l.Name(), Parties: l.Count, Value: party}
	return s.client.change(ctx, op, func(ctx context.Context, on locks.Latch) error {
		return on.CountDown(ctx, l.Name(), party)
	})
}

// latch passes the client's gate and returns the client's locker as a Latch.
func (c *client) latch(ctx context.Context, op history.Op) (locks.Latch, error) {
	if err := c.gate.pass(ctx, fmt.Sprintf("before the %s of %s", op.F, op.Lock), inside); err != nil {
		if c.life.dead() {
			return nil, errDead
		}
		return nil, workloads.ErrGone
	}
	locker := c.life.current()
	l, ok := locker.(locks.Latch)
	if !ok {
		return nil, fmt.Errorf("a %T is no latch", locker)
	}
	return l, nil
}

// change calls a method that changes a latch and records the call. If it is not answered, the
// client gets a new process number and change returns ErrUnanswered. The call may be repeated,
// because counting a party down twice has the effect of once.
func (c *client) change(ctx context.Context, op history.Op, call func(context.Context, locks.Latch) error) error {
	on, err := c.latch(ctx, op)
	if err != nil {
		return err
	}
	op, err = c.life.invoke(op)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, releaseLimit)
	defer cancel()
	err = call(limit, on)
	switch {
	case err == nil:
		c.life.complete(op, history.OK, nil)
		return nil
	case errors.Is(err, locks.ErrNotAcquired):
		op.Refused = history.ByServer
		c.life.complete(op, history.Fail, err)
		sleep(ctx, unknownPause)
		return workloads.ErrGone
	}
	c.life.complete(op, history.Info, err)
	switch {
	case c.life.dead():
		return errDead
	case c.life.broken() != nil:
		return errUnknown
	}
	c.life.retire()
	return workloads.ErrUnanswered
}

// Await waits until a latch is open and records the wait. A failed wait leaves nothing in doubt:
// the client did not pass.
func (s *holderStore) Await(ctx context.Context, l workloads.Latch) error {
	c := s.client
	op := history.Op{F: history.Await, Lock: l.Name(), Parties: l.Count}
	on, err := c.latch(ctx, op)
	if err != nil {
		return err
	}
	if op, err = c.life.invoke(op); err != nil {
		return err
	}
	c.run.demand.sees(l.Lock)
	patience, _ := c.run.tail.patience()
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	waiting := c.target.waits(history.Await, l.Name())
	err = on.Await(limit, l.Name())
	c.target.hears(waiting)
	if err == nil {
		c.life.complete(op, history.OK, nil)
		c.run.tally.grants.Add(1)
		c.run.demand.granted(l.Lock, c.number)
		return nil
	}
	if c.life.dead() {
		c.life.complete(op, history.Info, err)
		return errDead
	}
	op.Refused = history.ByServer
	if limit.Err() != nil {
		op.Refused = history.ByTime
	}
	c.life.complete(op, history.Fail, err)
	if err := c.life.broken(); err != nil {
		return err
	}
	sleep(ctx, unknownPause)
	return workloads.ErrGone
}

// warmLatch opens the connection by using a latch that no other client uses.
func warmLatch(ctx context.Context, l locks.Latch, name string) error {
	if err := l.SetCount(ctx, name, 1); err != nil {
		return err
	}
	if err := l.CountDown(ctx, name, "1"); err != nil {
		return err
	}
	return l.Await(ctx, name)
}
