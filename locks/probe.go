package locks

import (
	"context"
	"slices"
	"time"
)

// A Prober looks directly at the servers, past the clients, to see who has a
// lock there. It never changes anything.
type Prober interface {
	// Probe returns what every node that can be asked says of the lock; a
	// node that does not answer is left out.
	Probe(ctx context.Context, name string) ([]Sight, error)
	Close() error
}

// A Sight is what one node says of one lock.
type Sight struct {
	Node  string        // name of the node, as the cluster calls it
	Owner string        // owner value (see Owned); "" if the lock is free there
	Left  time.Duration // until it expires by itself; negative: it does not
	// Holds are of a lock that several can hold, and Owner and Left are not: all who hold it
	// there at one moment, in no order; empty, and not nil, where nobody does. A hold that has
	// expired is none.
	Holds []Hold
}

// A Hold is what a node says of one of those who hold a lock.
type Hold struct {
	Owner   string
	Shared  bool          // beside other readers
	Permits int           // of a semaphore; 0: it is none
	Left    time.Duration // as of a Sight
}

// Taken reports whether the node keeps the lock for somebody.
func (s Sight) Taken() bool { return s.Owner != "" || len(s.Holds) > 0 }

// Has reports whether the node keeps the lock under an owner value, be it beside others.
func (s Sight) Has(owner string) bool {
	return s.Owner == owner || slices.ContainsFunc(s.Holds, func(h Hold) bool { return h.Owner == owner })
}
