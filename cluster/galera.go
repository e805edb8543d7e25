package cluster

import (
	"context"
	"fmt"
	"strings"
)

// galeraNodes is the number of nodes of a Galera cluster.
const galeraNodes = 3

// GaleraBegins is the argument that makes a node found a cluster. Only the first node gets it, and
// only at its first start.
const GaleraBegins = "--wsrep-new-cluster"

// startGalera starts three MariaDB servers that form one Galera cluster. Each client has one link
// to one node, as a load balancer would distribute them: clients 1 and 4 use the first node.
func startGalera(ctx context.Context, b *builder) error {
	ports, err := b.reserve(3 * galeraNodes)
	if err != nil {
		return err
	}
	var group []string
	for i := range galeraNodes {
		group = append(group, local(ports[3*i+1]))
	}
	for i := range galeraNodes {
		s := Spec{Server: "galera", Name: mariadbSpec(i + 1).Name, Ports: ports[3*i : 3*i+3], Args: []string{"--wsrep-cluster-address=gcomm://" + strings.Join(group, ",")}}
		if i == 0 {
			s.Args = append(s.Args, GaleraBegins)
		}
		// Start them one after another, because a node that is synchronizing a second node cannot
		// synchronize a third one at the same time.
		if err := b.start(ctx, s); err != nil {
			return fmt.Errorf("node %d: %w", i+1, err)
		}
	}
	b.cluster.Quorum = galeraNodes/2 + 1
	if _, err := b.virtualFor(func(client int) string { return b.cluster.Nodes[(client-1)%galeraNodes].Addr() }); err != nil {
		return err
	}
	spread := b.cluster.endpoints
	b.cluster.endpoints = func(client int) []string {
		if client < 1 || client > b.Clients {
			return addrs(b.cluster.Nodes)
		}
		return spread(client)
	}
	return nil
}
