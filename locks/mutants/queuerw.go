package mutants

import (
	"context"

	"locktorture/locks"
)

// A QueueRW is a Queue whose readers hold the lock beside each other. Its twin grants requests in
// the order of the queue: a reader that asks after a waiting writer waits behind it.
type QueueRW struct{ *Queue }

var _ locks.Sharer = QueueRW{}

// NewQueueRW returns a client whose sessions last as long as its connections; it connects when
// it is first used.
func NewQueueRW(c Config) QueueRW { return QueueRW{NewQueue(c)} }

// QueueRWTraits returns the traits of the lock that NewQueueRW makes.
func QueueRWTraits() locks.Traits {
	t := QueueTraits()
	t.Kind, t.Model, t.Token, t.Upgrades = locks.ReadWrite, "timed-rwlock", false, true
	return t
}

// AcquireShared waits in the queue until the client can hold the lock beside other readers.
func (q QueueRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return q.changing(q.take(ctx, QueueCall{Name: name, Shared: true}))
}

// Acquire waits in the queue until no other client holds the lock.
func (q QueueRW) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.changing(q.take(ctx, QueueCall{Name: name}))
}

// changing wraps a lease so that it can be upgraded and downgraded.
func (q QueueRW) changing(l locks.Lease, err error) (locks.Lease, error) {
	if own, ok := l.(*queueLease); ok && err == nil {
		return rwQueueLease{own, q.Queue}, nil
	}
	return l, err
}
