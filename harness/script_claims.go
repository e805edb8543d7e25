package harness

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/workloads"
)

// Claim waits for the claim until ctx ends. Errors are as in Acquire, which claims the whole
// lock.
func (c *Scripted) Claim(ctx context.Context, lock string, claim locks.Claim) (*Grant, error) {
	return c.takeAs(ctx, lock, false, claim)
}

// whole returns the claim of a plain acquire. In an election it campaigns, with a new value
// each time.
func (c *Scripted) whole() locks.Claim { return c.client.claim(workloads.Section{}, "") }

func (c *Scripted) takeAs(ctx context.Context, lock string, try bool, claim locks.Claim) (*Grant, error) {
	h, err := c.client.acquire(ctx, lock, try, claim)
	if err != nil {
		return nil, c.ended(err)
	}
	return &Grant{h}, nil
}

// ReleaseWithin is Release with a limit on the wait for the answer. With limit 0 its context is
// over before it starts.
func (c *Scripted) ReleaseWithin(ctx context.Context, g *Grant, limit time.Duration) error {
	return c.ended(c.client.releaseWithin(ctx, g.h, limit))
}

// Observe asks for the leader, and records the answer. A missing answer is no error.
func (c *Scripted) Observe(ctx context.Context, lock string) error {
	return c.client.observe(ctx, lock)
}
