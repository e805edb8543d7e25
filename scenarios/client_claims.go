package scenarios

import (
	"context"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// claiming returns the function that requests a claim. Acquire requests the whole lock: as the
// writer of a read–write lock, as a candidate in an election.
func (c *Client) claiming(claim locks.Claim) func(context.Context, string) (*harness.Grant, error) {
	return func(ctx context.Context, lock string) (*harness.Grant, error) {
		return c.scripted.Claim(ctx, lock, claim)
	}
}

// Share takes the lock as a reader. The script cannot continue without it.
func (c *Client) Share() *Lease { return c.need(locks.Claim{Shared: true}) }

// ShareLater starts to take the lock as a reader and returns immediately.
func (c *Client) ShareLater() *Pending {
	return c.begin(c.claiming(locks.Claim{Shared: true}), longest)
}

// Permit takes one permit of a semaphore with this capacity. The script cannot continue without it.
func (c *Client) Permit(capacity int) *Lease {
	return c.need(locks.Claim{Permits: 1, Capacity: capacity})
}

// PermitLater starts to take one permit and returns immediately.
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

// ReleaseWithin releases a lease and waits for the answer for at most this time. With 0, its
// context has already ended. It reports whether the lock confirmed the release.
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

// Observe asks for the leader, for the history.
func (c *Client) Observe() {
	c.stage.step(c.name()+" observes", func(ctx context.Context) error { return c.scripted.Observe(ctx, c.stage.Lock) })
}

// calm is the length of one sleep during a calm wait, and beat the longest time of such a sleep on
// a machine that lets it run.
const calm, beat = 5 * time.Millisecond, 10 * time.Millisecond

// calmly returns a context that ends after this program was able to run for d, see Pending.Calmly.
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

// Calmly is like Within, but does not count the time for which the machine kept this program from
// running. The checks for a dead lock do not count it either.
func (p *Pending) Calmly(d time.Duration) {
	for ran := time.Duration(0); ran < d && p != nil && !p.Answered() && !p.client.stage.over(); {
		begun := time.Now()
		p.Within(calm)
		if took := time.Since(begun); took < beat {
			ran += took
		}
	}
}
