//go:build !wasip1 && !simulated

package harness

import (
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// WorldOf shows a cluster to the faults, for clients that hold leases of a TTL. The harness
// replaces the clients with its own; their number is what a plan needs.
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

// orNil makes a link that is not there a nil interface.
func orNil(link func(from, to int) *cluster.Link) func(from, to int) nemesis.Link {
	return func(from, to int) nemesis.Link {
		if l := link(from, to); l != nil {
			return l
		}
		return nil
	}
}
