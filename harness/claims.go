package harness

import (
	"context"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/internal/wire"
	"locktorture/locks"
	"locktorture/workloads"
)

// claim returns the claim that a section makes on one of its locks. Each campaign of a candidate
// uses a new value, so that an observation identifies the campaign.
func (c *client) claim(s workloads.Section, lock string) locks.Claim {
	claim := locks.Claim{Shared: s.Shared, Permits: s.Permits, Capacity: s.CapacityOf(lock), Parties: s.Parties}
	if c.run.cfg.Traits.Kind == locks.Election {
		c.ran++
		claim.Value = fmt.Sprintf("%s:%d", wire.Owner(c.life.processNow()), c.ran)
	}
	return claim
}

// claimed returns op with the fields that describe the claim c.
func claimed(op history.Op, c locks.Claim) history.Op {
	switch {
	case c.Parties > 0:
		op.Mode, op.Parties = history.Party, c.Parties
	case c.Permits > 0:
		op.Mode, op.Permits, op.Capacity = history.Permits, c.Permits, c.Capacity
	case c.Shared:
		op.Mode = history.Shared
	case c.Value != "":
		op.Mode, op.Value = history.Campaign, c.Value
	}
	return op
}

// oneSectionIn is the mean number of sections between two observations of the leader.
const oneSectionIn = 2

// observeLimit bounds an observation that is not answered.
const observeLimit = time.Second

// observes asks for the leaders of the section's elections, before every second section on average.
// A failed observation has no effect on the service, so the process keeps its number.
func (c *client) observes(ctx context.Context, elections []string) error {
	if !c.run.cfg.Traits.Observed || c.life.rng.IntN(oneSectionIn) != 0 {
		return nil
	}
	for _, name := range elections {
		if err := c.observe(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) observe(ctx context.Context, name string) error {
	op, err := c.life.invoke(history.Op{F: history.Observe, Lock: name})
	if err != nil {
		return err
	}
	locker := c.life.current()
	limit, cancel := context.WithTimeout(ctx, observeLimit)
	defer cancel()
	value, term, err := locks.Leader(limit, locker, name)
	switch {
	case err == nil:
		op.Value, op.Token = value, term
		c.life.complete(op, history.OK, nil)
		return nil
	case c.life.dead():
		c.life.complete(op, history.Info, err)
		return errDead
	}
	c.life.complete(op, history.Fail, err)
	return nil
}
