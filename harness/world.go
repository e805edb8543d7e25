//go:build !wasip1 && !simulated

package harness

import (
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// WorldOf presents a cluster to the faults, for clients with leases of the given TTL. The harness
// replaces the clients with its own; a plan needs only their number.
func WorldOf(c *cluster.Cluster, clients int, ttl time.Duration) *nemesis.World {
	w := &nemesis.World{TTL: ttl, Quorum: c.Quorum, Clients: make([]nemesis.Client, clients)}
	for _, n := range c.Nodes {
		w.Nodes = append(w.Nodes, n)
	}
	if len(c.Nodes) > 0 {
		w.Link = orNil(c.Link)
		w.Peer = orNil(c.Peer)
	}
	if c.Replicas != nil {
		w.Replication = c.Replicas
	}
	if c.HasLeader() {
		w.Leader = c.Leader
	}
	return w
}

// orNil converts a nil *Link to a nil interface.
func orNil(link func(from, to int) *cluster.Link) func(from, to int) nemesis.Link {
	return func(from, to int) nemesis.Link {
		if l := link(from, to); l != nil {
			return l
		}
		return nil
	}
}
