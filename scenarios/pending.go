package scenarios

import (
	"context"
	"errors"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// A Pending is an acquire under way.
type Pending struct {
	client *Client
	done   chan struct{}
	giveUp context.CancelFunc
	grant  *harness.Grant
	err    error
	at     int64 // time of the answer, in ns of the history
}

// AcquireLater starts to acquire and returns immediately.
func (c *Client) AcquireLater() *Pending { return c.begin(c.scripted.Acquire, longest) }

// InsistLater is like AcquireLater for a client that soon repeats a request that was lost, or
// refused for lack of a server.
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

// insistEvery is the pause between the requests of an insisting client.
const insistEvery = 10 * time.Millisecond

// TryLater starts to try and returns immediately. The client stops waiting after a while.
func (c *Client) TryLater(within time.Duration) *Pending {
	return c.begin(c.scripted.Try, within)
}

// longest bounds an acquire that no step of the script ends.
const longest = 10 * patience

func (c *Client) begin(call func(context.Context, string) (*harness.Grant, error), within time.Duration) *Pending {
	if c.stage.over() {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.stage.ctx, within)
	p := &Pending{client: c, done: make(chan struct{}), giveUp: cancel}
	c.stage.later(func(context.Context) error { cancel(); <-p.done; return nil })
	go func() {
		defer close(p.done)
		p.grant, p.err = call(ctx, c.stage.Lock)
		p.at = c.stage.script.Now()
	}()
	return p
}

// GiveUp makes the client give up.
func (p *Pending) GiveUp() {
	if p != nil {
		p.giveUp()
	}
}

// Wait waits for the answer. It returns nil if the lock was not granted.
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

// Within waits for the answer for a limited time. A missing answer is no error.
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

// Answered reports whether the answer has arrived.
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
