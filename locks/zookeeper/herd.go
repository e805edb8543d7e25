package zookeeper

import (
	"context"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// A Herd is a Lock whose waiters all watch the whole queue: each client that comes or goes wakes
// all of them, and each then reads the whole queue.
//
// Source: the ZooKeeper Recipes, which warn of it. Clock: as Lock.
//
// It does not promise that the cost of a hand-over is independent of the number of waiters:
// the server's work grows with that number. It is not reentrant. All other promises of Lock
// hold.
type Herd struct{ *client }

var _ locks.Locker = (*Herd)(nil)

// NewHerd returns a client; it connects when it is first used.
func NewHerd(cfg Config) *Herd { return &Herd{newClient(cfg)} }

// HerdTraits returns the lock's traits.
func HerdTraits() locks.Traits { return sessionTraits() }

// Acquire waits until every node before its own is gone.
func (l *Herd) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return plain(l.take(ctx, name, func(ctx context.Context, e *entry) (view, error) {
		return crowd(ctx, e, func(ahead []string) bool { return len(ahead) == 0 })
	}))
}

// crowd watches the whole queue until the nodes before its own let it in.
func crowd(ctx context.Context, e *entry, enough func(ahead []string) bool) (view, error) {
	v, err := e.look(ctx)
	for err == nil && !enough(v.ahead) {
		var changed <-chan zk.Event
		v, err = e.before(ctx, func() (queue, error) {
			names, stat, c, err := e.s.conn.ChildrenW(e.parent)
			if err != nil {
				return queue{}, err
			}
			changed = c
			return queue{names, stat.Pzxid}, nil
		})
		if err == nil && !enough(v.ahead) {
			err = e.await(ctx, changed)
		}
	}
	return v, err
}
