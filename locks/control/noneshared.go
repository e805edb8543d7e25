package control

import (
	"context"

	"locktorture/locks"
)

// A NoneRW is a read–write lock that grants every request.
//
// Algorithm: none. Source: none. Clock: none. It promises nothing.
type NoneRW struct{ *None }

var (
	_ locks.Locker = NoneRW{}
	_ locks.Sharer = NoneRW{}
)

// NoneRWTraits returns the traits of a read–write lock, which a NoneRW only claims to be.
func NoneRWTraits() locks.Traits {
	return locks.Traits{Kind: locks.ReadWrite, Model: "timed-rwlock", Clock: "none"}
}

// AcquireShared grants the lock unless ctx is done.
func (n NoneRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return n.Acquire(ctx, name)
}

// A NoneSemaphore is a semaphore that does not count.
//
// Algorithm: none. Source: none. Clock: none. It promises nothing.
type NoneSemaphore struct {
	locks.NotExclusive
	none *None
}

var (
	_ locks.Locker    = NoneSemaphore{}
	_ locks.Permitter = NoneSemaphore{}
)

// NewNoneSemaphore returns a client. Its owner values begin with owner.
func NewNoneSemaphore(owner string) NoneSemaphore { return NoneSemaphore{none: NewNone(owner)} }

// NoneSemaphoreTraits returns the traits of a semaphore, which a NoneSemaphore only claims to
// be.
func NoneSemaphoreTraits() locks.Traits {
	return locks.Traits{Kind: locks.Semaphore, Model: "timed-semaphore", Clock: "none"}
}

// AcquirePermits grants the permits unless ctx is done.
func (n NoneSemaphore) AcquirePermits(ctx context.Context, name string, _, _ int) (locks.Lease, error) {
	return n.none.Acquire(ctx, name)
}

// Close does nothing.
func (n NoneSemaphore) Close() error { return nil }
