package zookeeper

import (
	"context"
	"strconv"
	"strings"

	"locktorture/locks"
)

// A Semaphore is a queue like the one of Lock, in which several nodes can hold permits. The
// name of a node contains the number of permits that it requests. They are granted once this
// number and the requests of all nodes before it add up to no more than the capacity. Waiters
// watch the whole queue, because any node before them may make room.
//
// Source: ZooKeeper's recipes have no semaphore; this is their "Locks" with more than one
// holder, as in Curator's first InterProcessSemaphore. Clock: as Lock.
//
// Grants follow the order of the queue: a request for one permit waits behind a request for two.
// Its promises are no stronger than those of Lock. Nor does it promise that clients agree on the
// capacity: each uses its own. A hand-over costs as much as with Herd. It has no token.
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

// AcquirePermits waits until the nodes before its own leave n permits.
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

// permitsOf parses the number of permits in the name of a node: 2 in "ID-2-0000000007".
func permitsOf(node string) int {
	marked := strings.TrimSuffix(node, "-"+sequence(node))
	n, err := strconv.Atoi(marked[strings.LastIndexByte(marked, '-')+1:])
	if err != nil { // another program created the node
		return 1
	}
	return n
}
