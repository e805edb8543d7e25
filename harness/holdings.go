package harness

import "sync"

// A holding identifies a lock and a client that holds a lease of the lock.
type holding struct {
	lock   string
	client int
}

// The holdings of a run are the leases of live clients.
type holdings struct {
	mu     sync.Mutex
	leases map[holding]int // number of leases
}

// count changes the number of leases that a client has of a lock, by +1 or -1.
func (h *holdings) count(lock string, client, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := holding{lock, client}
	if h.leases[k] += by; h.leases[k] <= 0 {
		delete(h.leases, k)
	}
}

// died removes all leases of a killed client.
func (h *holdings) died(client int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k := range h.leases {
		if k.client == client {
			delete(h.leases, k)
		}
	}
}

// another reports whether another client holds the lock.
func (h *holdings) another(lock string, client int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k := range h.leases {
		if k.lock == lock && k.client != client {
			return true
		}
	}
	return false
}
