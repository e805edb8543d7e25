package driver

import (
	"sync"

	"locktorture/locks"
)

// keepReleased is the number of released leases that the driver remembers. A second release of
// a remembered lease still reaches the lock, which decides on the answer.
const keepReleased = 256

// A held is a lease that a driver has granted.
type held struct {
	id    int64
	lease locks.Lease
	once  sync.Once
	// released is closed once a release is certain.
	released chan struct{}
}

// over reports whether the lease was released or its loss reported.
func (k *held) over() bool {
	select {
	case <-k.released:
		return true
	default:
	}
	if w, ok := k.lease.(locks.Watched); ok {
		select {
		case <-w.Lost():
			return true
		default:
		}
	}
	return false
}

// A leaseTable numbers the leases of a driver from 1.
type leaseTable struct {
	mu   sync.Mutex
	last int64
	all  map[int64]*held
	// old lists the ids of released leases, oldest first.
	old []int64
}

// add registers a grant under the next number.
func (t *leaseTable) add(l locks.Lease) *held {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[int64]*held{}
	}
	t.last++
	k := &held{id: t.last, lease: l, released: make(chan struct{})}
	t.all[k.id] = k
	return k
}

// get returns a lease that is held or was released recently; nil if it is unknown.
func (t *leaseTable) get(id int64) *held {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[id]
}

// release marks a lease as released and forgets the oldest released ones.
func (t *leaseTable) release(k *held) {
	k.once.Do(func() {
		close(k.released)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.old = append(t.old, k.id)
		if len(t.old) > keepReleased {
			delete(t.all, t.old[0])
			t.old = t.old[1:]
		}
	})
}
