package harness

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/workloads"
)

// Claim makes a claim on a lock and waits for the grant until ctx ends. Its error wraps the same
// errors as the error of Acquire.
func (c *Scripted) Claim(ctx context.Context, lock string, claim locks.Claim) (*Grant, error) {
	return c.takeAs(ctx, lock, false, claim)
}

// whole returns the claim of a plain acquire. In an election it campaigns with a new value each
// time.
func (c *Scripted) whole() locks.Claim { return c.client.claim(workloads.Section{}, "") }

func (c *Scripted) takeAs(ctx context.Context, lock string, try bool, claim locks.Claim) (*Grant, error) {
	h, err := c.client.acquire(ctx, lock, try, claim)
	if err != nil {
		return nil, c.ended(err)
	}
	return &Grant{h}, nil
}

// ReleaseWithin releases a lease and waits at most limit for the answer. With limit 0 the context
// has ended before the call.
func (c *Scripted) ReleaseWithin(ctx context.Context, g *Grant, limit time.Duration) error {
	return c.ended(g.h.releaseWithin(ctx, limit))
}

// Observe asks for the leader and records the answer. It also records that no answer came, and
// returns no error then.
func (c *Scripted) Observe(ctx context.Context, lock string) error {
	return c.client.observe(ctx, lock)
}
