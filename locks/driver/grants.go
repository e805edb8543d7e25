package driver

import (
	"errors"
	"fmt"
	"sync"
)

// The grants of a Client are the leases that its driver has granted.
type grants struct {
	mu sync.Mutex
	// leases holds the leases that are not yet released. Events refer to them.
	leases map[int64]*Lease
	// numbers holds the numbers of all leases. A driver must not use one twice.
	numbers numbers
}

// add registers a grant before the next line of the driver is read, because that line may report
// the loss of the lease.
func (g *grants) add(l *Lease) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.id <= 0 {
		return errors.New("grant without a lease")
	}
	if !g.numbers.add(l.id) {
		return fmt.Errorf("a second grant of lease %d; each grant has a number of its own", l.id)
	}
	g.leases[l.id] = l
	return nil
}

// get returns a lease that is not yet released, or nil.
func (g *grants) get(id int64) *Lease {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.leases[id]
}

// forget removes a released lease.
func (g *grants) forget(id int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.leases, id)
}
