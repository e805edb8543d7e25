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

// A Client is one client of a script. A step of its own under a lease that is
// nil, because it was not granted, is left out.
type Client struct {
	stage    *Stage
	scripted *harness.Scripted
	// refusal is the answer to its last acquire that was not granted.
	refusal error
	// notHeld: its last release was answered with ErrNotHeld.
	notHeld bool
	// transaction is what it works in; nil: each operation is one of its own.
	transaction connection
}

// A Lease is a grant of the script.
type Lease struct {
	*harness.Grant
	client *Client
	at     int64 // when the grant was told, in ns of the history
}

// granted returns when the grant was told, in ns of the history.
func (l *Lease) granted() int64 {
	if l == nil {
		return 0
	}
	return l.at
}

// end returns the end of the validity at the earliest, as last told.
func (l *Lease) end() int64 {
	if l == nil {
		return 0
	}
	least, _ := l.Validity()
	return least
}

// LostWithin waits for the notice that the lease is lost, and reports whether it came.
func (l *Lease) LostWithin(d time.Duration) bool {
	if l == nil || l.client.stage.over() {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.Lost():
		return true
	case <-t.C:
	case <-l.client.stage.ctx.Done():
	}
	return false
}

// name is "c1".
func (c *Client) name() string { return fmt.Sprintf("c%d", c.scripted.Number()) }

// Acquire takes the lock. The script cannot go on without it.
func (c *Client) Acquire() *Lease { return c.Take(c.stage.Lock) }

// Take is Acquire of a lock by name.
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

// AcquireWithin waits for the lock for so long; nil if it was not granted.
func (c *Client) AcquireWithin(d time.Duration) *Lease {
	return c.acquire(c.stage.Lock, d, c.scripted.Acquire)
}

// Try asks for the lock once; nil if it was not granted. A lock that cannot be asked
// once is waited for for a quarter of a TTL.
func (c *Client) Try() *Lease { return c.acquire(c.stage.Lock, c.stage.TTL/4, c.scripted.Try) }

func (c *Client) acquire(lock string, within time.Duration, call func(context.Context, string) (*harness.Grant, error)) *Lease {
	ctx, cancel := context.WithTimeout(c.stage.ctx, within)
	defer cancel()
	return c.acquireUntil(ctx, lock, call)
}

// acquireUntil asks until a context is over.
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

// Refusal is why the last acquire was not granted, "" if it was.
func (c *Client) Refusal() string {
	if c.refusal == nil {
		return ""
	}
	return c.refusal.Error()
}

// RefusedBy reports whether the last acquire was refused for certain, for that reason.
func (c *Client) RefusedBy(reason string) bool {
	return errors.Is(c.refusal, locks.ErrNotAcquired) && strings.Contains(c.refusal.Error(), reason)
}

// Warm makes the client's connections, so that what it sends next is a request of the lock.
func (c *Client) Warm() {
	c.stage.Need("a warm connection", c.Release(c.Take(c.stage.Lock+".warm")))
}

// Release gives a lease back, and reports whether the lock said yes.
func (c *Client) Release(l *Lease) bool {
	if l == nil || c.stage.over() {
		return false
	}
	err := c.scripted.Release(c.stage.ctx, l.Grant)
	c.notHeld = errors.Is(err, locks.ErrNotHeld)
	if err != nil {
		c.expected(err)
	}
	return err == nil
}

// Ask asks whether the lease is still valid.
func (c *Client) Ask(l *Lease) bool {
	if l == nil || c.stage.over() {
		return false
	}
	err := c.scripted.Ask(c.stage.ctx, l.Grant)
	if err != nil {
		c.expected(err)
	}
	return err == nil
}
