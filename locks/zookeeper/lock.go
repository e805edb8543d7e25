package zookeeper

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is the lock of ZooKeeper's recipes: the first node of the queue holds it, and every
// other client watches the node before its own. When that node is gone, the client reads the
// queue again, because the node may have belonged to a waiter. A client that holds the lock
// may acquire it again.
//
// Source: the ZooKeeper Recipes, "Locks" and "Recoverable Errors and the GUID"; Curator's
// InterProcessMutex. Clock: the leader's monotonic clock ends the session; the client's clock
// reports the loss earlier, by a tenth of the timeout.
//
// It does not promise that a holder that is paused or cut off stops before its session is over. A
// call whose outcome is in doubt ends the session with all locks of the client (Lost is closed for
// each).
type Lock struct {
	*client
	holds *holds
}

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg Config) *Lock { return &Lock{client: newClient(cfg), holds: newHolds()} }

// Traits returns the lock's traits.
func Traits() locks.Traits {
	t := sessionTraits()
	t.Reentrant, t.Fair = true, true
	return t
}

// sessionTraits returns the traits that all locks of this package share.
func sessionTraits() locks.Traits {
	return locks.Traits{
		Wait: "watch", Renews: true, Token: true, Watched: true, Validity: "session",
		// With a shorter TTL, a server that has lost its leader without noticing could report a
		// session as alive that the next leader has ended.
		LeastTTL: time.Second, Model: "fenced",
		// The sum is the timeout, which the servers round up to their ticks, and the time to
		// find another server.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + time.Second },
		Clock:      "the ZooKeeper leader's monotonic clock",
	}
}

// Acquire waits until every node before its own is gone.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.holds.enter(ctx, name, func() (*grant, error) { return l.take(ctx, name, one) })
}

// TryAcquire leaves the queue at once if there is a node before its own.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return l.holds.enter(ctx, name, func() (*grant, error) { return l.take(ctx, name, try) })
}

// one waits for the predecessor.
func one(ctx context.Context, e *entry) (view, error) {
	return behind(ctx, e, func(string) bool { return true })
}

// behind waits until no node before its own blocks it. It always waits for the last such node.
func behind(ctx context.Context, e *entry, blocks func(node string) bool) (view, error) {
	v, err := e.look(ctx)
	for err == nil {
		last := len(v.ahead) - 1
		for last >= 0 && !blocks(v.ahead[last]) {
			last--
		}
		if last < 0 {
			break
		}
		if err = e.awaitGone(ctx, v.ahead[last]); err == nil {
			v, err = e.again(ctx)
		}
	}
	return v, err
}

// errTaken is the refusal of an entry that is not the first and must leave the queue.
var errTaken = attempt.Taken()

// try checks the queue once, without waiting.
func try(ctx context.Context, e *entry) (view, error) {
	v, err := e.look(ctx)
	if err == nil && len(v.ahead) > 0 {
		return view{}, errTaken
	}
	return v, err
}

// plain returns the lease of a lock that is not reentrant.
func plain(g *grant, err error) (locks.Lease, error) {
	if err != nil {
		return nil, err
	}
	return &lease{grant: g, end: g.release}, nil
}
