package control

import (
	"context"
	"sync"

	"locktorture/locks"
)

// A NoneElection is an election without terms that every candidate wins: each client takes itself
// for the leader.
//
// Algorithm: none. Source: none. Clock: none. It promises nothing.
type NoneElection struct {
	locks.NotExclusive
	none *None

	mu sync.Mutex
	// last maps an election to this client's latest value.
	last map[string]string
}

var (
	_ locks.Locker   = (*NoneElection)(nil)
	_ locks.Elector  = (*NoneElection)(nil)
	_ locks.Observer = (*NoneElection)(nil)
)

// NewNoneElection returns a client. Its owner values begin with owner.
func NewNoneElection(owner string) *NoneElection {
	return &NoneElection{none: NewNone(owner), last: map[string]string{}}
}

// NoneElectionTraits returns the traits of an election, which a NoneElection only claims to be.
func NoneElectionTraits() locks.Traits {
	return locks.Traits{Kind: locks.Election, Observed: true, Model: "election", Clock: "none"}
}

// Campaign makes the client the leader unless ctx is done.
func (n *NoneElection) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	l, err := n.none.Acquire(ctx, name)
	if err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.last[name] = value
	}
	return l, err
}

// Leader returns the latest value of this client: a NoneElection does not know other clients.
func (n *NoneElection) Leader(_ context.Context, name string) (string, uint64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last[name], 0, nil
}

// Close does nothing.
func (n *NoneElection) Close() error { return nil }
