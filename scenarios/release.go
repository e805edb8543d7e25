package scenarios

import (
	"context"
	"errors"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// request sends a request about the lease, and reports whether the lock confirmed it.
func (l *Lease) request(send func(c *harness.Scripted, ctx context.Context, g *harness.Grant) error) bool {
	if l == nil || l.client.stage.over() {
		return false
	}
	err := send(l.client.scripted, l.client.stage.ctx, l.Grant)
	if err != nil {
		l.client.expected(err)
	}
	return err == nil
}

// Release releases the lease, and reports whether the lock confirmed it.
func (l *Lease) Release() bool {
	return l.request(func(c *harness.Scripted, ctx context.Context, g *harness.Grant) error {
		err := c.Release(ctx, g)
		l.client.notHeld = errors.Is(err, locks.ErrNotHeld)
		return err
	})
}

// ReleaseWithin releases the lease and waits for the answer for at most this time. With 0, its
// context has already ended. It reports whether the lock confirmed the release.
func (l *Lease) ReleaseWithin(limit time.Duration) bool {
	return l.request(func(c *harness.Scripted, ctx context.Context, g *harness.Grant) error {
		return c.ReleaseWithin(ctx, g, limit)
	})
}

// Ask asks the lock whether the lease is still valid.
func (l *Lease) Ask() bool { return l.request((*harness.Scripted).Ask) }

// Renew requests another TTL for the lease, and reports whether the lock confirmed it.
func (l *Lease) Renew() bool { return l.request((*harness.Scripted).Renew) }

// A Releasing is a release under way.
type Releasing struct {
	client *Client
	done   chan struct{}
	err    error
}

// ReleaseLater starts to release and returns immediately.
func (l *Lease) ReleaseLater() *Releasing {
	if l == nil || l.client.stage.over() {
		return nil
	}
	c := l.client
	r := &Releasing{client: c, done: make(chan struct{})}
	c.stage.later(func(context.Context) error { <-r.done; return nil })
	go func() {
		defer close(r.done)
		r.err = c.scripted.Release(c.stage.ctx, l.Grant)
	}()
	return r
}

// Wait waits for the answer, and reports whether the lock confirmed the release.
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
