package cluster

import (
	"context"
	"fmt"
	"time"
)

// A Node is one running server. The methods of its concrete type are the capabilities of the node
// (Kill, Start, Pause, Resume, SkewClock …).
type Node interface {
	Name() string    // "redis-1"
	Addr() string    // host:port of the server itself, without a proxy
	Version() string // as the server reports it
	// Stop ends the server permanently and removes its files.
	Stop(ctx context.Context) error
}

// A Spec describes a server to start.
type Spec struct {
	Server string // "redis", "etcd"
	Name   string
	Args   []string // additional arguments in the server's own syntax
	Ports  []int    // ports reserved for the server; clients use the first one
	LogDir string   // directory of its logs, made if missing; "": beside its data
	// Started is called with the process id after each start, the first one included. It may be
	// nil.
	Started func(pid int)
	// Ready is called after each start but the first, once the node answers, so that a topology can
	// integrate the restarted node. It may be nil.
	Ready func(ctx context.Context) error
	// Readmit is called before a start without the data, so that the other members of a group accept
	// the node as a new member. nil: a node of such a group cannot start without its data. Rejoins are
	// further arguments of such a start.
	Readmit func(ctx context.Context) error
	Rejoins []string
}

// A Provisioner starts nodes.
type Provisioner interface {
	// Serves returns nil, or an error with the reason why the need cannot be met here and a remedy.
	// A need is a kind of server ("redis"), or a kind with a feature that it must support
	// ("redis:replication").
	Serves(need string) error
	// Start starts a server and returns once it answers.
	Start(ctx context.Context, s Spec) (Node, error)
}

// A Cluster is a running topology. Its nodes and clients are connected by links, which are proxies
// in this process.
type Cluster struct {
	Topology    string // "redis", "redis-replicas", "redis-5", "etcd-3", …
	Provisioner string // "embedded", "process", …
	Nodes       []Node
	Quorum      int // number of nodes that must agree for a lock on this topology
	// Replicas controls the replication. It is nil without replication.
	Replicas Replication

	endpoints func(client int) []string
	link      func(client, node int) *Link
	peer      func(from, to int) *Link
	links     []*Link // all links that have a proxy
	leader    func(context.Context) (int, error)
	closers   []func(context.Context) error
}

// Endpoints returns the addresses that a client dials: its own proxies, or one virtual endpoint if
// the topology has one. For client 0 it returns the addresses of the servers themselves, without
// proxies (the current primary behind a virtual endpoint).
func (c *Cluster) Endpoints(client int) []string { return c.endpoints(client) }

// Link returns the link from a client (numbered from 1) to a node (index), or nil. A virtual
// endpoint is the link to every node behind it.
func (c *Cluster) Link(client, node int) *Link {
	if c.link == nil {
		return nil
	}
	return c.link(client, node)
}

// Peer returns the link for data from one node to another, no matter which of them opened the
// connection. It returns nil if that link cannot be controlled.
func (c *Cluster) Peer(from, to int) *Link {
	if c.peer == nil {
		return nil
	}
	return c.peer(from, to)
}

// Close stops all parts in the reverse order of their start. It continues after an error and
// returns the first one.
func (c *Cluster) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var first error
	for i := len(c.closers) - 1; i >= 0; i-- {
		if err := c.closers[i](ctx); err != nil && first == nil {
			first = fmt.Errorf("close cluster: %w", err)
		}
	}
	return first
}
