package zookeeper

import (
	"context"
	"strings"

	"locktorture/locks"
)

// An RW is the read–write lock of ZooKeeper's recipes: one queue, in which the names of nodes
// distinguish readers and writers. A writer holds the lock when its node is the first, a reader
// when there is no writer's node before its own. Each waiter watches the last node that blocks it,
// and reads the queue again when that node is gone.
//
// Source: the ZooKeeper Recipes, "Shared Locks". Clock: as Lock.
//
// Grants follow the order of the queue: a reader that comes after a waiting writer waits for it.
// Its promises are no stronger than those of Lock. It supports neither upgrades nor downgrades, and
// is not reentrant. It has no token, because readers need not write in the order of their numbers.
type RW struct{ *client }

var (
	_ locks.Locker = (*RW)(nil)
	_ locks.Sharer = (*RW)(nil)
)

// NewRW returns a client; it connects when it is first used.
func NewRW(cfg Config) *RW { return &RW{newClient(cfg)} }

// RWTraits returns the lock's traits.
func RWTraits() locks.Traits {
	t := sessionTraits()
	t.Kind, t.Fair, t.Token, t.Model = locks.ReadWrite, true, false, "timed-rwlock"
	return t
}

// Marks in the names of nodes.
const (
	readMark  = "-read"
	writeMark = "-write"
)

// Acquire waits until every node before its own is gone.
func (l *RW) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return plain(l.takeMarked(ctx, name, writeMark, one))
}

// AcquireShared waits until every writer's node before its own is gone.
func (l *RW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return plain(l.takeMarked(ctx, name, readMark, func(ctx context.Context, e *entry) (view, error) {
		return behind(ctx, e, func(node string) bool { return strings.Contains(node, writeMark) })
	}))
}
