package harness

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/workloads"
)

// A demand holds the locks in use and the requests for them.
type demand struct {
	mu         sync.Mutex
	locks      map[string]bool   // locks in use; true if granted since the last fault healed
	newest     map[string]int    // lock → client of its latest grant
	capacities map[string]int    // semaphore in use → capacity
	unserved   map[ask]time.Time // request → time since which it is unserved
	served     map[int]bool      // clients that were granted a lock since the last fault healed
}

func newDemand() *demand {
	return &demand{locks: map[string]bool{}, newest: map[string]int{}, capacities: map[string]int{}, unserved: map[ask]time.Time{}, served: map[int]bool{}}
}

// An ask is a client's request for a lock, without its time.
type ask struct {
	client            int
	lock              string
	shared            bool
	permits, capacity int
}

// askOf returns the request that a client makes with a claim.
func askOf(client int, lock string, c locks.Claim) ask {
	return ask{client, lock, c.Shared, c.Permits, c.Capacity}
}

// claim returns the claim that repeats the request.
func (a ask) claim(c *client) locks.Claim {
	return c.claim(workloads.Section{Shared: a.shared, Permits: a.permits, Capacity: a.capacity}, a.lock)
}

// sees adds a lock to the locks in use.
func (d *demand) sees(lock string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.locks[lock]; !ok {
		d.locks[lock] = false
	}
}

// inUse returns the locks in use.
func (d *demand) inUse() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make([]string, 0, len(d.locks))
	for name := range d.locks {
		names = append(names, name)
	}
	return names
}

// counts stores the capacity of a semaphore in use.
func (d *demand) counts(lock string, capacity int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.capacities[lock] = max(d.capacities[lock], capacity)
}

// asks notes that a client requests a lock, with the time of the first request.
func (d *demand) asks(a ask) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.unserved[a]; !ok {
		d.unserved[a] = time.Now()
	}
}

// gets notes that a request was granted.
func (d *demand) gets(a ask) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.unserved, a)
	d.served[a.client] = true
}

// granted records a grant of the lock to the client.
func (d *demand) granted(lock string, client int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.newest[lock] = client
	d.locks[lock] = true
}

// newestOf returns the client of the latest grant of a lock.
func (d *demand) newestOf(lock string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.newest[lock]
}

// healed forgets what was granted before the last fault healed.
func (d *demand) healed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.locks {
		d.locks[name] = false
	}
	clear(d.served)
}

// allGranted reports whether every lock in use was granted since the last fault healed.
func (d *demand) allGranted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, granted := range d.locks {
		if !granted {
			return false
		}
	}
	return true
}

// allServed reports whether every client with an unserved request was granted something since the
// last fault healed.
func (d *demand) allServed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for a := range d.unserved {
		if !d.served[a.client] {
			return false
		}
	}
	return true
}

// calls returns the unserved requests, the oldest first.
func (d *demand) calls() []ask {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []ask
	for a := range d.unserved {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b ask) int {
		return cmp.Or(d.unserved[a].Compare(d.unserved[b]), cmp.Compare(a.client, b.client), cmp.Compare(a.lock, b.lock), cmp.Compare(a.permits, b.permits), readersFirst(a, b))
	})
	return list
}

func readersFirst(a, b ask) int {
	switch {
	case a.shared == b.shared:
		return 0
	case a.shared:
		return -1
	}
	return 1
}
