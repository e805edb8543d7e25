package control

import (
	"context"

	"locktorture/locks"
)

// A LocalElection is an election of a LocalServer, which must never be flagged.
//
// Algorithm: the queue of Local. The head of the queue leads, and the token of its grant is the
// term. A leadership ends with the client's connection. Source: this package. Clock: none, see
// Local.
type LocalElection struct {
	locks.NotExclusive
	local *Local
}

var (
	_ locks.Locker   = LocalElection{}
	_ locks.Elector  = LocalElection{}
	_ locks.Observer = LocalElection{}
)

// NewLocalElection returns a client.
func NewLocalElection(cfg LocalConfig) LocalElection { return LocalElection{local: NewLocal(cfg)} }

// LocalElectionTraits returns the election's traits.
func LocalElectionTraits() locks.Traits {
	t := localTraits(locks.Election, "election")
	t.Fair, t.Token, t.Observed = true, true, true
	return t
}

// Campaign waits in the server's queue.
func (l LocalElection) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	return l.local.takeAs(ctx, l.local.last.Add(1), "acquire", name, value, "campaign")
}

// Leader asks the server for the holder of the lock.
func (l LocalElection) Leader(ctx context.Context, name string) (string, uint64, error) {
	return l.local.holder(ctx, name)
}

// Close drops the connection; the server elects the next candidate.
func (l LocalElection) Close() error { return l.local.Close() }
