package cluster

import (
	"context"
	"fmt"
)

// An Adoption is servers that run already, and what they are to be.
type Adoption struct {
	Topology    string
	Provisioner string
	Nodes       []Node
	// Announced are the addresses that the nodes announce to clients; nil if they announce
	// none.
	Announced []string
	Forward   Forwarder // as in a Config
	Clients   int       // each gets links of its own, numbered from 1
	// Close is called last, when all links are closed; nil: nothing is to be done.
	Close func(context.Context) error
}

// Adopt makes a cluster of servers that somebody else runs: clients have links to them, but
// the way from server to server is not ours, nor is their life. A quorum is more than half of
// the nodes where they are independent or vote.
func Adopt(a Adoption) (*Cluster, error) {
	if _, ok := Topologies()[a.Topology]; !ok {
		return nil, fmt.Errorf("adopt: no topology %q", a.Topology)
	}
	b := newBuilder(Config{Topology: a.Topology, Forward: a.Forward, Clients: a.Clients})
	b.cluster.Provisioner, b.cluster.Nodes = a.Provisioner, a.Nodes
	if a.Close != nil {
		b.onClose(a.Close)
	}
	if len(a.Nodes) > 1 && a.Announced == nil {
		b.cluster.Quorum = len(a.Nodes)/2 + 1
	}
	if err := b.linkClients(); err != nil {
		_ = b.cluster.Close() // nothing was used yet
		return nil, err
	}
	if a.Announced != nil {
		b.routes(a.Announced)
	}
	return b.cluster, nil
}
