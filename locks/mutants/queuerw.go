package mutants

import (
	"context"

	"locktorture/locks"
)

// A QueueRW is a Queue whose readers hold the lock beside each other. Its twin grants in the order of the
// queue: a reader that asks after a waiting writer waits behind it.
type QueueRW struct{ *Queue }

var _ locks.Sharer = QueueRW{}

// NewQueueRW returns a client whose sessions last as long as its connections; it connects when it is first used.
func NewQueueRW(c Config) QueueRW { return QueueRW{NewQueue(c)} }

// QueueRWTraits is what NewQueueRW declares.
func QueueRWTraits() locks.Traits {
	t := QueueTraits()
	t.Kind, t.Model, t.Token = locks.ReadWrite, "timed-rwlock", false
	return t
}

// AcquireShared waits in the queue until it can hold the lock beside readers.
func (q QueueRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return q.take(ctx, QueueCall{Name: name, Shared: true})
}
