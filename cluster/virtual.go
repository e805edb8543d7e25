package cluster

import (
	"context"
	"slices"
)

// A Replication is the control of a primary and its replicas behind a virtual
// endpoint.
type Replication interface {
	// Primary returns the index of the node that is the primary now.
	Primary() int
	// CutReplicas stops replication: what the primary writes from now on is lost to the
	// replicas.
	CutReplicas(ctx context.Context) error
	// WaitWrite returns once the primary holds a write that no replica has.
	WaitWrite(ctx context.Context) error
	// Failover kills the primary, promotes a replica and moves the virtual
	// endpoints. It returns once the new primary accepts writes.
	Failover(ctx context.Context) (promoted string, err error)
	// Rejoin heals the links and brings the old primary back as a replica, in sync.
	Rejoin(ctx context.Context) error
}

var _ Replication = (*Replicas)(nil)

// virtual gives each client one link that leads to the primary, and the cluster endpoints
// made of them. The links must be moved when the primary changes.
func (b *builder) virtual(primary func() string) ([]*Link, error) {
	return b.virtualFor(func(int) string { return primary() })
}

// virtualFor is virtual with a separate upstream for each client, from 1; other users of the
// endpoint get client 1's.
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
