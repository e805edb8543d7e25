package cluster

import "context"

// An Adoption describes servers that run already and the cluster that Adopt makes of them.
type Adoption struct {
	Topology    string
	Provisioner string
	Nodes       []Node
	// Announced lists the addresses that the nodes announce to clients. It is nil if they announce
	// none.
	Announced []string
	Forward   Forwarder // as in a Config
	Clients   int       // each client gets links of its own; clients are numbered from 1
	// Close is called last, when all links are closed. nil means that nothing has to be released.
	Close func(context.Context) error
}

// Adopt makes a cluster of servers that somebody else runs. Clients have links to them, but the
// harness controls neither the connections between the servers nor their processes. The quorum is
// more than half of the nodes if they are independent or vote.
func Adopt(a Adoption) (*Cluster, error) {
	b := newBuilder(Config{Topology: a.Topology, Forward: a.Forward, Clients: a.Clients})
	b.cluster.Provisioner, b.cluster.Nodes = a.Provisioner, a.Nodes
	if a.Close != nil {
		b.onClose(a.Close)
	}
	if len(a.Nodes) > 1 && a.Announced == nil {
		b.cluster.Quorum = len(a.Nodes)/2 + 1
	}
	if err := b.linkClients(); err != nil {
		_ = b.cluster.Close() // no client uses it yet
		return nil, err
	}
	if a.Announced != nil {
		b.routes(a.Announced)
	}
	return b.cluster, nil
}
