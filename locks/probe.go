package locks

import (
	"context"
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
}
