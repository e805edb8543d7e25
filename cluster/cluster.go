package cluster

import (
	"context"
	"fmt"
	"time"
)

// A Node is one running server. The methods of its concrete type show what can be done to it
// (Kill, Start, Pause, Resume, SkewClock …).
type Node interface {
	Name() string    // "redis-1"
	Addr() string    // host:port where the server itself listens, past all proxies
	Version() string // as the server reports it
	// Stop ends the server for good and removes what it left.
	Stop(ctx context.Context) error
}

// A Spec says what server to start.
type Spec struct {
	Server string // "redis", "etcd"
	Name   string
	Args   []string // further arguments, in the server's own form
	Ports  []int    // reserved for it, the first is the one that clients use
	LogDir string   // where its logs go, made if missing; "": they go with its data
	// Started, if not nil, is called with the id of the node's process after each start, the
	// first one included.
	Started func(pid int)
	// Ready, if not nil, is called at each further start, once the node
	// answers: a topology gives a restarted node its place again.
	Ready func(ctx context.Context) error
}

// A Provisioner makes nodes.
type Provisioner interface {
	// Serves returns nil, or an error that says why the need cannot be met here and how to
	// change that. A need is a kind of server ("redis"), or a kind and what it must be able to
	// do ("redis:replication").
	Serves(need string) error
	// Start starts a server and returns once it answers.
	Start(ctx context.Context, s Spec) (Node, error)
}

// A Cluster is a topology that runs. Nodes and clients are joined by links
// that are proxies of this process.
type Cluster struct {
	Topology    string // "redis", "redis-replicas", "redis-5", "etcd-3", …
	Provisioner string // "embedded", "process", …
	Nodes       []Node
	Quorum      int // nodes whose agreement a lock on this topology needs
	// Replicas is the control of replication; nil where there is none.
	Replicas Replication

	endpoints func(client int) []string
	link      func(client, node int) *Link
	peer      func(from, to int) *Link
	links     []*Link // all that have a proxy
	leader    func(context.Context) (int, error)
	closers   []func(context.Context) error
}

// Endpoints returns the addresses that a client dials: its own proxies, or
// one virtual endpoint where the topology has one. Client 0 gets the servers
// themselves, past all proxies (the primary of the moment behind a virtual endpoint).
func (c *Cluster) Endpoints(client int) []string { return c.endpoints(client) }

// Link returns the link from a client (from 1) to a node (index), or nil. A
// virtual endpoint is the link to every node behind it.
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

// Close stops everything, in the reverse order of its start, and returns the first error.
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
