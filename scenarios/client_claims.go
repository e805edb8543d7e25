package scenarios

import (
	"context"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// claiming returns the way to ask for a claim. What the lock is as a whole Acquire asks for: in
// a read–write lock as a writer, in an election as a candidate.
func (c *Client) claiming(claim locks.Claim) func(context.Context, string) (*harness.Grant, error) {
	return func(ctx context.Context, lock string) (*harness.Grant, error) {
		return c.scripted.Claim(ctx, lock, claim)
	}
}

// Share takes the lock as a reader. The script cannot go on without it.
func (c *Client) Share() *Lease { return c.need(locks.Claim{Shared: true}) }

// ShareLater begins to take the lock as a reader and returns at once.
func (c *Client) ShareLater() *Pending {
	return c.begin(c.claiming(locks.Claim{Shared: true}), longest)
}

// Permit takes one permit of a semaphore that has so many. The script cannot go on without it.
func (c *Client) Permit(capacity int) *Lease {
	return c.need(locks.Claim{Permits: 1, Capacity: capacity})
}

// PermitLater begins to take one permit and returns at once.
func (c *Client) PermitLater(capacity int) *Pending {
	return c.begin(c.claiming(locks.Claim{Permits: 1, Capacity: capacity}), longest)
}

func (c *Client) need(claim locks.Claim) *Lease {
	l := c.acquire(c.stage.Lock, patience, c.claiming(claim))
	if l == nil {
		c.stage.stick("%s was not granted %s: %v", c.name(), c.stage.Lock, c.refusal)
	}
	return l
}

// ReleaseWithin gives a lease back and waits for the answer no longer than that; 0: its context
// is over already. It reports whether the lock said yes.
func (c *Client) ReleaseWithin(l *Lease, limit time.Duration) bool {
	if l == nil || c.stage.over() {
		return false
	}
	err := c.scripted.ReleaseWithin(c.stage.ctx, l.Grant, limit)
	if err != nil {
		c.expected(err)
	}
	return err == nil
}

// Observe asks who leads, for the record.
func (c *Client) Observe() {
	c.stage.step(c.name()+" observes", func(ctx context.Context) error { return c.scripted.Observe(ctx, c.stage.Lock) })
}

// calm is how long somebody who waits calmly sleeps at a time, and beat what that may take on
// a machine that lets it run.
const calm, beat = 5 * time.Millisecond, 10 * time.Millisecond

// calmly returns a context that is over when this program was let run for d, as in
// Pending.Calmly.
func (s *Stage) calmly(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(s.ctx)
	go func() {
		defer cancel()
		for ran := time.Duration(0); ran < d && ctx.Err() == nil; {
			begun := time.Now()
			time.Sleep(calm)
			if took := time.Since(begun); took < beat {
				ran += took
			}
		}
	}()
	return ctx, cancel
}

// Calmly is Within, not counted the time for which the machine kept this program from running:
// what shows that a lock is dead does not count it either.
func (p *Pending) Calmly(d time.Duration) {
	for ran := time.Duration(0); ran < d && p != nil && !p.Answered() && !p.client.stage.over(); {
		begun := time.Now()
		p.Within(calm)
		if took := time.Since(begun); took < beat {
			ran += took
		}
	}
}
