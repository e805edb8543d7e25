package locks

import (
	"context"
	"slices"
	"time"
)

// A Prober inspects the servers directly, bypassing the clients, to see who holds a lock there. It
// never changes anything.
type Prober interface {
	// Probe returns one Sight for each node that answers; other nodes are left out.
	Probe(ctx context.Context, name string) ([]Sight, error)
	Close() error
}

// A Sight is one node's state of one lock.
type Sight struct {
	// Node is the name of the node in the cluster.
	Node string
	// Owner is the owner value (see Owned), or "" if the lock is free on the node.
	Owner string
	// Left is the time until the lock expires by itself. It is negative if the lock does not
	// expire.
	Left time.Duration
	// Holds lists all holders on the node at one moment, in no order, for a lock that several
	// clients can hold; Owner and Left are then unused. It is empty, not nil, if nobody holds
	// the lock, and nil for other locks. Expired holds are left out.
	Holds []Hold
}

// A Hold is one holder of a lock, as a node reports it.
type Hold struct {
	Owner string
	// Shared reports that the holder is a reader.
	Shared bool
	// Permits is the number of permits, and 0 if the lock is not a semaphore.
	Permits int
	// Left is the time until the hold expires, see Sight.
	Left time.Duration
}

// Taken reports whether somebody holds the lock on the node.
func (s Sight) Taken() bool { return s.Owner != "" || len(s.Holds) > 0 }

// Has reports whether the owner value is among the lock's holders on the node.
func (s Sight) Has(owner string) bool {
	return s.Owner == owner || slices.ContainsFunc(s.Holds, func(h Hold) bool { return h.Owner == owner })
}
