//go:build wasip1 || simulated

package scenarios

import (
	"context"
	"time"

	"locktorture/simulate/inside"
)

// The servers on which scripts play in virtual time: the used parts of cluster.Cluster and
// cluster.Link, executed by the host of the simulation.
type (
	system     = Simulated
	link       = simulatedLink
	etcdClient = struct{} // etcd is not simulated
	connection = *struct{}
)

// A Measure is a value that a script has measured.
type Measure struct {
	Name  string
	Value string
}

// The directions of a link.
const (
	requests = inside.Requests
	replies  = inside.Replies
)

// lookEvery is the interval between two checks of a script that waits.
const lookEvery = 20 * time.Millisecond

// Ask sends a request to the host of the simulation.
type Ask func(question string, args ...any) int

// Simulated are the Redis servers of a simulation.
type Simulated struct {
	Nodes  []Node
	Quorum int

	ask   Ask
	links map[[2]int]*link
}

// Simulate returns the servers at some addresses, with the names of nodes.
func Simulate(names, addrs []string, ask Ask) *Simulated {
	s := &Simulated{Quorum: len(addrs)/2 + 1, ask: ask, links: map[[2]int]*link{}}
	for i, addr := range addrs {
		s.Nodes = append(s.Nodes, &node{names[i], addr, i + 1, ask})
	}
	return s
}

// HasLeader returns false, because the servers are independent.
func (s *Simulated) HasLeader() bool { return false }

// Link returns the link of a client to a node.
func (s *Simulated) Link(client, node int) *link {
	at := [2]int{client, node + 1}
	if s.links[at] == nil {
		s.links[at] = &link{at[0], at[1], s.ask}
	}
	return s.links[at]
}

// A Node is one of the servers.
type Node interface {
	Name() string
	Addr() string // address for clients
}

// A node is a Node, nemesis.Clocked and nemesis.Restarter.
type node struct {
	name, addr string
	number     int
	ask        Ask
}

// Name returns its name.
func (n *node) Name() string { return n.name }

// Addr returns its address.
func (n *node) Addr() string { return n.addr }

// SkewClock implements nemesis.Clocked.
func (n *node) SkewClock(_ context.Context, offset time.Duration, rate float64) error {
	n.ask(inside.AskSkew, n.number, int64(offset), rate)
	return nil
}

// Kill implements nemesis.Restarter.
func (n *node) Kill(context.Context) error {
	n.ask(inside.AskKill, n.number)
	return nil
}

// Start implements nemesis.Restarter.
func (n *node) Start(_ context.Context, empty bool) error {
	n.ask(inside.AskStart, n.number, empty)
	return nil
}

// A simulatedLink is a link of a client to a server.
type simulatedLink struct {
	client, server int
	ask            Ask
}

// Slow delays all data in each direction.
func (l *simulatedLink) Slow(latency, _ time.Duration) error {
	l.ask(inside.AskSlow, l.client, l.server, int64(latency))
	return nil
}

// Cut discards all data.
func (l *simulatedLink) Cut() error { return l.do(inside.AskCut) }

// HoldAfter keeps back the data of the connection that sends next, after its first n messages.
func (l *simulatedLink) HoldAfter(direction string, n int) error {
	l.ask(inside.AskHold, l.client, l.server, direction, n)
	return nil
}

// Held returns the number of held bytes.
func (l *simulatedLink) Held() int { return l.ask(inside.AskHeld, l.client, l.server) }

// Answered returns the number of open connections over which a reply was sent.
func (l *simulatedLink) Answered() int { return l.ask(inside.AskAnswered, l.client, l.server) }

// LetGo ends a hold in one direction.
func (l *simulatedLink) LetGo(direction string) error {
	l.ask(inside.AskLetGo, l.client, l.server, direction)
	return nil
}

// Heal ends all disturbances.
func (l *simulatedLink) Heal() error { return l.do(inside.AskHeal) }

// Reset breaks the open connections.
func (l *simulatedLink) Reset() error { return l.do(inside.AskReset) }

func (l *simulatedLink) do(question string) error {
	l.ask(question, l.client, l.server)
	return nil
}
