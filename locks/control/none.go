// Package control holds locks with known verdicts: locks that exclude nobody, which must be
// accused, and locks that always exclude, which must not. They test the harness, not a service.
package control

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"locktorture/locks"
)

// A None grants everything to every client. A run must find it unsafe without any fault.
//
// Algorithm: none. Source: none. Clock: none. It promises nothing, except that a second release
// of a lease returns locks.ErrNotHeld.
type None struct {
	owner string
	last  atomic.Uint64
}

var (
	_ locks.Locker = (*None)(nil)
	_ locks.Trier  = (*None)(nil)
)

// NewNone returns a client. Its owner values begin with owner.
func NewNone(owner string) *None { return &None{owner: owner} }

// NoneTraits returns the traits of a mutex, which a None only claims to be.
func NoneTraits() locks.Traits {
	return locks.Traits{Model: "mutex", Clock: "none"}
}

// Acquire grants the lock unless ctx is done.
func (n *None) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	return &noneLease{owner: fmt.Sprintf("%s:%d", n.owner, n.last.Add(1))}, nil
}

// TryAcquire grants the lock as Acquire does.
func (n *None) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return n.Acquire(ctx, name)
}

// Close does nothing.
func (n *None) Close() error { return nil }

// A noneLease excludes nobody.
type noneLease struct {
	owner string

	mu       sync.Mutex
	released bool
}

var _ locks.Owned = (*noneLease)(nil)

// Owner returns the owner value, which no other grant of this client has.
func (l *noneLease) Owner() string { return l.owner }

// Release ends the lease, once.
func (l *noneLease) Release(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return locks.ErrNotHeld
	}
	l.released = true
	return nil
}
