package driver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A Lease is a lease held in a child process. It has the methods of every optional capability; the
// backend's Traits declare which of them are meaningful.
type Lease struct {
	calls *calls
	id    int64
	token uint64
	owner string

	// lost is closed once, when the driver reports the loss; at then holds the driver's time of the
	// loss, in ns of CLOCK_MONOTONIC.
	once sync.Once
	lost chan struct{}
	at   atomic.Int64
}

var (
	_ locks.Lease   = (*Lease)(nil)
	_ locks.Asker   = (*Lease)(nil)
	_ locks.Renewer = (*Lease)(nil)
	_ locks.Fenced  = (*Lease)(nil)
	_ locks.Owned   = (*Lease)(nil)
	_ locks.Watched = (*Lease)(nil)
)

// newLease makes the lease of a granting reply.
func newLease(c *calls, r reply) *Lease {
	return &Lease{calls: c, id: r.Lease, token: r.Token, owner: r.Owner, lost: make(chan struct{})}
}

// Release ends the lease.
func (l *Lease) Release(ctx context.Context) error {
	err := l.calls.make(ctx, request{Op: opRelease, Lease: l.id}).error()
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		l.calls.grants.forget(l.id)
	}
	return err
}

// Renew extends the lease by one TTL. It returns errors.ErrUnsupported if the lock cannot
// renew.
func (l *Lease) Renew(ctx context.Context) error {
	return l.calls.make(ctx, request{Op: opRenew, Lease: l.id}).error()
}

// Ask asks the child for the remaining validity of the lease, by the child's own clock. See
// locks.Asker.
func (l *Lease) Ask(ctx context.Context) (time.Duration, error) {
	a := l.calls.make(ctx, request{Op: opAsk, Lease: l.id})
	if err := a.error(); err != nil {
		return 0, err
	}
	if a.reply.Remaining == nil {
		return locks.Forever, nil
	}
	return time.Duration(*a.reply.Remaining), nil
}

// Token returns the fencing token; 0 if the lock has none.
func (l *Lease) Token() uint64 { return l.token }

// Owner returns the owner value on the server; "" if the lock does not know it.
func (l *Lease) Owner() string { return l.owner }

// Lost returns a channel that is closed when the child reports that the lease is over.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// LostAt returns the time at which the child noticed the loss, in ns of CLOCK_MONOTONIC; 0 before.
func (l *Lease) LostAt() int64 { return l.at.Load() }

// lose records the loss at the given time. It returns false if the loss was reported before.
func (l *Lease) lose(mono int64) (first bool) {
	l.once.Do(func() {
		first = true
		l.at.Store(mono)
		close(l.lost)
	})
	return first
}
