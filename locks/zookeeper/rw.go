package zookeeper

import (
	"context"
	"strings"

	"locktorture/locks"
)

// An RW is the read–write lock of ZooKeeper's recipes: one queue, in which the names of nodes
// say who reads and who writes. A writer holds the lock when its node is the first, a reader
// when there is no writer's before its own. Each watches the last node that keeps it waiting,
// and looks again when that is gone.
//
// Source: the ZooKeeper Recipes, "Shared Locks". Clock: as Lock.
//
// Grants come in the order of the queue: a reader that comes after a waiting writer waits for
// it. It does not promise what Lock does not, nor upgrades and downgrades, and is not
// reentrant. It has no token: the numbers of readers grow in an order in which they need not
// use what they read.
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

// What follows the first part of the names of nodes.
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
