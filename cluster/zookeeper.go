package cluster

import (
	"context"
	"fmt"
)

// startZooKeeper starts three ZooKeeper servers. In the configuration of each, the addresses of the
// others are proxies, so that every link between two of them can be disturbed separately, in each
// direction.
func startZooKeeper(ctx context.Context, b *builder) error {
	const n = 3
	ports, err := b.reserve(4 * n) // for clients, the quorum, relays to it, and elections
	if err != nil {
		return err
	}
	clients, quorum, relays, election := ports[:n], ports[n:2*n], ports[2*n:3*n], ports[3*n:]
	var real, relayed []string
	for i, p := range quorum {
		real, relayed = append(real, local(p)), append(relayed, local(relays[i]))
		// Only the leader listens on its quorum port, and it starts to listen only after the
		// others have learned of its election.
		if err := b.relay(relayed[i], real[i]); err != nil {
			return err
		}
	}
	links, err := b.mesh(relayed)
	if err != nil {
		return err
	}
	elections, err := b.electionProxies(links, election)
	if err != nil {
		return err
	}
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = Spec{
			Server: "zookeeper", Name: fmt.Sprintf("zookeeper-%d", i+1),
			Ports: []int{clients[i], quorum[i], election[i]}, Readmit: byItself,
			Args: append(zooKeeperTimes(), fmt.Sprintf("myid=%d", i+1)),
		}
		for j := range n {
			addr := fmt.Sprintf("%s:%d", real[j], election[j])
			if i != j {
				addr = fmt.Sprintf("%s:%d", links[i][j].Addr(), elections[i][j])
			}
			specs[i].Args = append(specs[i].Args, fmt.Sprintf("server.%d=%s", j+1, addr))
		}
	}
	b.cluster.Quorum, b.cluster.peer = n/2+1, links.oneWay
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	b.cluster.leader = highest(b.cluster.Nodes, zooKeeperRole)
	if err := b.awaitLeader(ctx); err != nil {
		return err
	}
	return b.linkClients()
}

// byItself is the Readmit of servers that the others accept without further steps. A ZooKeeper
// recognizes another member only by its number.
func byItself(context.Context) error { return nil }

// zooKeeperTimes shortens elections and the expiry of sessions. A server that has lost its leader
// serves for up to syncLimit ticks, a second, so sessions should not be shorter.
func zooKeeperTimes() []string {
	return []string{"tickTime=200", "initLimit=25", "syncLimit=5", "minSessionTimeout=500", "maxSessionTimeout=60000"}
}
