package cluster

import (
	"context"
	"slices"
)

// A Replication controls a primary and its replicas behind a virtual endpoint.
type Replication interface {
	// Primary returns the index of the current primary.
	Primary() int
	// CutReplicas interrupts the replication: the replicas do not receive later writes of the
	// primary.
	CutReplicas(ctx context.Context) error
	// WaitWrite waits until the primary holds a write that no replica has.
	WaitWrite(ctx context.Context) error
	// Failover kills the primary, promotes a replica and redirects the virtual endpoints. It
	// returns once the new primary accepts writes.
	Failover(ctx context.Context) (promoted string, err error)
	// Rejoin heals the links and restarts the old primary as a replica. It returns when the replica
	// is in sync.
	Rejoin(ctx context.Context) error
}

var _ Replication = (*Replicas)(nil)

// virtual gives each client one link that leads to the primary, which becomes its endpoint. The
// caller must move the links when the primary changes.
func (b *builder) virtual(primary func() string) ([]*Link, error) {
	return b.virtualFor(func(int) string { return primary() })
}

// virtualFor is like virtual with a separate upstream for each client, numbered from 1. Other users
// of the endpoint get the upstream of client 1.
func (b *builder) virtualFor(upstream func(client int) string) ([]*Link, error) {
	ports, err := b.reserve(b.Clients)
	if err != nil {
		return nil, err
	}
	var links []*Link
	for i, port := range ports {
		l, err := b.link(local(port), upstream(i+1), Way{Client: i + 1, From: -1, To: -1})
		if err != nil {
			return nil, err
		}
		links = append(links, l)
	}
	known := slices.Clone(links)
	b.cluster.link = func(client, _ int) *Link {
		if client < 1 || client > len(known) {
			return nil
		}
		return known[client-1]
	}
	b.cluster.endpoints = func(client int) []string {
		if client < 1 || client > len(known) {
			return []string{upstream(1)}
		}
		return []string{known[client-1].Addr()}
	}
	return links, nil
}
