package scenarios

import (
	"context"
	"errors"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// Stop stops the client's process where the script has left it, and returns when it was seen
// stopped.
func (c *Client) Stop() {
	s := c.stage
	s.step("stop "+c.name(), func(ctx context.Context) error {
		if err := c.scripted.Stop(ctx, "where the script has left it"); err != nil {
			return err
		}
		s.later(c.scripted.Continue)
		return nil
	})
}

// Continue lets it go on.
func (c *Client) Continue() {
	c.stage.step("continue "+c.name(), c.scripted.Continue)
}

// Kill kills the client's process.
func (c *Client) Kill() {
	c.stage.step("kill "+c.name(), func(ctx context.Context) error {
		return c.scripted.Kill(ctx, "where the script has left it")
	})
}

// Revive starts the client's successor.
func (c *Client) Revive() { c.stage.step("revive "+c.name(), c.scripted.Revive) }

// SkewClock moves the client's own clock.
func (c *Client) SkewClock(offset time.Duration) {
	c.stage.step("move the clock of "+c.name(), func(ctx context.Context) error { return c.scripted.SetClock(ctx, offset) })
}

// A Pending is an acquire that is under way.
type Pending struct {
	client *Client
	done   chan struct{}
	grant  *harness.Grant
	err    error
	at     int64 // when it was answered, in ns of the history
}

// AcquireLater begins to acquire and returns at once.
func (c *Client) AcquireLater() *Pending { return c.begin(c.scripted.Acquire, longest) }

// InsistLater is AcquireLater by a client that asks again a moment after its request was lost,
// or refused because no server was there.
func (c *Client) InsistLater() *Pending {
	return c.begin(func(ctx context.Context, lock string) (*harness.Grant, error) {
		for {
			g, err := c.scripted.Acquire(ctx, lock)
			if !errors.Is(err, harness.ErrUnknown) && !errors.Is(err, locks.ErrNotAcquired) || ctx.Err() != nil {
				return g, err
			}
			select {
			case <-time.After(insistEvery):
			case <-ctx.Done():
			}
		}
	}, longest)
}

// insistEvery is the pause of a client that insists.
const insistEvery = 10 * time.Millisecond

// TryLater begins to try and returns at once. The client gives up after a while.
func (c *Client) TryLater(within time.Duration) *Pending {
	return c.begin(c.scripted.Try, within)
}

// longest is how long an acquire waits that nothing in the script ends.
const longest = 10 * patience

func (c *Client) begin(call func(context.Context, string) (*harness.Grant, error), within time.Duration) *Pending {
	if c.stage.over() {
		return nil
	}
	p := &Pending{client: c, done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(c.stage.ctx, within)
	c.stage.later(func(context.Context) error { cancel(); <-p.done; return nil })
	go func() {
		defer close(p.done)
		p.grant, p.err = call(ctx, c.stage.Lock)
		p.at = c.stage.script.Now()
	}()
	return p
}

// A Releasing is a release that is under way.
type Releasing struct {
	client *Client
	done   chan struct{}
	err    error
}

// ReleaseLater begins to release and returns at once.
func (c *Client) ReleaseLater(l *Lease) *Releasing {
	if l == nil || c.stage.over() {
		return nil
	}
	r := &Releasing{client: c, done: make(chan struct{})}
	c.stage.later(func(context.Context) error { <-r.done; return nil })
	go func() {
		defer close(r.done)
		r.err = c.scripted.Release(c.stage.ctx, l.Grant)
	}()
	return r
}

// Wait waits for the answer, and reports whether the lock said yes.
func (r *Releasing) Wait() bool {
	if r == nil || r.client.stage.over() {
		return false
	}
	<-r.done
	if r.err != nil {
		r.client.expected(r.err)
	}
	return r.err == nil
}

// Wait waits for the answer; nil if it was not granted.
func (p *Pending) Wait() *Lease {
	if p == nil || p.client.stage.over() {
		return nil
	}
	select {
	case <-p.done:
	case <-p.client.stage.ctx.Done():
		return nil
	}
	p.client.refusal = p.err
	if p.err != nil {
		p.client.expected(p.err)
		return nil
	}
	return &Lease{p.grant, p.client, p.at}
}

// Within waits for the answer for so long; that there is none then is no error.
func (p *Pending) Within(d time.Duration) {
	if p == nil || p.client.stage.over() {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
	case <-p.client.stage.ctx.Done():
	}
}

// Answered reports whether the answer is there.
func (p *Pending) Answered() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
