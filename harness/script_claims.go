package harness

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/workloads"
)

// Claim waits for what is claimed until ctx ends; errors as of Acquire, which claims what the
// lock is as a whole.
func (c *Scripted) Claim(ctx context.Context, lock string, claim locks.Claim) (*Grant, error) {
	return c.takeAs(ctx, lock, false, claim)
}

// whole is what an acquire of the script asks for: in an election it campaigns, with a value
// of its own each time.
func (c *Scripted) whole() locks.Claim { return c.client.claim(workloads.Section{}, "") }

func (c *Scripted) takeAs(ctx context.Context, lock string, try bool, claim locks.Claim) (*Grant, error) {
	h, err := c.client.acquire(ctx, lock, try, claim)
	if err != nil {
		return nil, c.ended(err)
	}
	return &Grant{h}, nil
}

// ReleaseWithin is Release by a client that waits no longer than limit for the answer; 0: its
// context is over already.
func (c *Scripted) ReleaseWithin(ctx context.Context, g *Grant, limit time.Duration) error {
	return c.ended(c.client.releaseWithin(ctx, g.h, limit))
}

// Observe asks who leads, for the record. That there was no answer is no error.
func (c *Scripted) Observe(ctx context.Context, lock string) error {
	return c.client.observe(ctx, lock)
}
