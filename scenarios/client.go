package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktorture/harness"
	"locktorture/locks"
	"locktorture/workloads"
)

// A Client is one client of a script.
type Client struct {
	Process     Process
	Transaction Transaction

	stage    *Stage
	scripted *harness.Scripted
	// refusal is the answer to its last refused acquire.
	refusal error
	// notHeld reports that its last release returned ErrNotHeld.
	notHeld bool
}

// name returns the name of the client, such as "c1".
func (c *Client) name() string { return fmt.Sprintf("c%d", c.scripted.Number()) }

// Acquire takes the lock. The script cannot continue without it.
func (c *Client) Acquire() *Lease { return c.Take(c.stage.Lock) }

// Take is like Acquire for a lock with another name.
func (c *Client) Take(lock string) *Lease {
	l := c.acquire(lock, patience, c.scripted.Acquire)
	for again := 0; l == nil && errors.Is(c.refusal, harness.ErrUnknown) && again < 3; again++ {
		l = c.acquire(lock, patience, c.scripted.Acquire) // a request was lost: a client asks again
	}
	if l == nil {
		c.stage.stick("%s was not granted %s: %v", c.name(), lock, c.refusal)
	}
	return l
}

// AcquireWithin waits for the lock for a limited time. It returns nil if the lock was not granted.
func (c *Client) AcquireWithin(d time.Duration) *Lease {
	return c.acquire(c.stage.Lock, d, c.scripted.Acquire)
}

// Try requests the lock without waiting. It returns nil if the lock was not granted. If a lock has
// no such request, Try waits for a quarter of a TTL.
func (c *Client) Try() *Lease { return c.acquire(c.stage.Lock, c.stage.TTL/4, c.scripted.Try) }

func (c *Client) acquire(lock string, within time.Duration, call func(context.Context, string) (*harness.Grant, error)) *Lease {
	ctx, cancel := context.WithTimeout(c.stage.ctx, within)
	defer cancel()
	return c.acquireUntil(ctx, lock, call)
}

// acquireUntil repeats the request until a context ends.
func (c *Client) acquireUntil(ctx context.Context, lock string, call func(context.Context, string) (*harness.Grant, error)) *Lease {
	if c.stage.over() {
		return nil
	}
	g, err := call(ctx, lock)
	c.refusal = err
	if err != nil {
		c.expected(err)
		return nil
	}
	return &Lease{g, c, c.stage.script.Now()}
}

// expected ends the script on an error that is no answer of a lock or a store.
func (c *Client) expected(err error) {
	for _, e := range []error{locks.ErrNotAcquired, locks.ErrNotHeld, harness.ErrUnknown, harness.ErrDead, workloads.ErrStale, workloads.ErrConflict} {
		if errors.Is(err, e) {
			return
		}
	}
	c.stage.fail(fmt.Errorf("%s: %w", c.name(), err))
}

// Refusal returns the reason why the last acquire was refused, or "" if it was granted.
func (c *Client) Refusal() string {
	if c.refusal == nil {
		return ""
	}
	return c.refusal.Error()
}

// RefusedBy reports whether the last acquire was certainly refused by this party.
func (c *Client) RefusedBy(reason string) bool {
	return errors.Is(c.refusal, locks.ErrNotAcquired) && strings.Contains(c.refusal.Error(), reason)
}

// Warm opens the client's connections, so that its next message is a request of the lock.
func (c *Client) Warm() {
	c.stage.Need("a warm connection", c.Take(c.stage.Lock+".warm").Release())
}

// Observe asks for the leader, for the history.
func (c *Client) Observe() {
	c.stage.step(c.name()+" observes", func(ctx context.Context) error { return c.scripted.Observe(ctx, c.stage.Lock) })
}

// Without returns a lease for a client that works without the lock.
func (c *Client) Without() *Lease { return &Lease{Grant: c.scripted.Without(c.stage.Lock), client: c} }

// FreeIn requests the lock for longer than the lock may take to become free, and
// reports whether it was granted.
func (c *Client) FreeIn() bool {
	p := c.AcquireLater()
	p.Calmly(c.stage.freeWait())
	if !p.Answered() {
		return false
	}
	return p.Wait().Release()
}
