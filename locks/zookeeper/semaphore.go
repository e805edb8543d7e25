package zookeeper

import (
	"context"
	"strconv"
	"strings"

	"locktorture/locks"
)

// A Semaphore is the queue of Lock whose first nodes hold it, as many as there are permits
// for. The name of a node says how many it wants; it has them once those that the nodes before
// it want, and its own, are no more than the capacity. Waiters watch the queue, because
// whoever of those before them goes may be the one that makes room.
//
// Source: ZooKeeper's recipes have none; this is their "Locks" with more than one holder, as
// Curator's first InterProcessSemaphore was. Clock: as Lock.
//
// Grants come in the order of the queue: who wants one permit waits behind who wants two. It
// does not promise what Lock does not, nor that clients agree on the capacity: each counts by
// its own. A hand-over costs as with Herd. It has no token.
type Semaphore struct {
	locks.NotExclusive
	*client
}

var (
	_ locks.Locker    = (*Semaphore)(nil)
	_ locks.Permitter = (*Semaphore)(nil)
)

// NewSemaphore returns a client; it connects when it is first used.
func NewSemaphore(cfg Config) *Semaphore { return &Semaphore{client: newClient(cfg)} }

// SemaphoreTraits returns the semaphore's traits.
func SemaphoreTraits() locks.Traits {
	t := sessionTraits()
	t.Kind, t.Fair, t.Token, t.Model = locks.Semaphore, true, false, "timed-semaphore"
	return t
}

// AcquirePermits waits until those before it leave so many permits.
func (s *Semaphore) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return plain(s.takeMarked(ctx, name, "-"+strconv.Itoa(n), func(ctx context.Context, e *entry) (view, error) {
		return crowd(ctx, e, func(ahead []string) bool {
			wanted := n
			for _, node := range ahead {
				wanted += permitsOf(node)
			}
			return wanted <= capacity
		})
	}))
}

// permitsOf reads what a node wants out of its name: of "ID-2-0000000007" that is 2.
func permitsOf(node string) int {
	marked := strings.TrimSuffix(node, "-"+sequence(node))
	n, err := strconv.Atoi(marked[strings.LastIndexByte(marked, '-')+1:])
	if err != nil { // nobody of this package made it
		return 1
	}
	return n
}
