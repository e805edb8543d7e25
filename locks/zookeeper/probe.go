package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// A Probe queries ZooKeeper for the holder of a lock. It serves every lock of this package, and
// others that keep ephemeral sequential nodes below /lock/N with the owner as data.
type Probe struct {
	*client
	node string
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers, which it reports as one node.
func NewProbe(endpoints []string, node string) *Probe {
	return NewProbeWith(Config{Endpoints: endpoints}, node)
}

// NewProbeWith returns a probe for servers that require a login or TLS.
func NewProbeWith(cfg Config, node string) *Probe { return &Probe{client: newClient(cfg), node: node} }

// Probe returns the owner of the first node of the queue. Left is negative, because the node lives
// as long as its session, and the servers do not report for how long.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	s, err := p.sessions.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	owner, err := call(ctx, s, func() (string, error) { return first(s.conn, nodeOf(name)) })
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{{Node: p.node, Owner: owner, Left: -1}}, nil
}

// first returns the data of the first node of a queue; "" if it is empty.
func first(conn *zk.Conn, parent string) (string, error) {
	if err := catchUp(conn, path.Dir(parent)+"-probe"); err != nil {
		return "", err
	}
	for {
		names, _, err := conn.Children(parent)
		if errors.Is(err, zk.ErrNoNode) || err == nil && len(names) == 0 {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		data, _, err := conn.Get(parent + "/" + order(names)[0])
		if errors.Is(err, zk.ErrNoNode) { // the node has just gone
			continue
		}
		return string(data), err
	}
}

// catchUp returns when later reads are not older than the call. A sync would not suffice: a
// leader that is cut off from the others answers a sync alone until it notices the cut, here
// for a second. Probes then reported owners that had released. catchUp therefore writes, to a
// node with no other use: a write is answered only once a majority has it.
func catchUp(conn *zk.Conn, node string) error {
	_, err := conn.Set(node, nil, -1)
	if !errors.Is(err, zk.ErrNoNode) {
		return err
	}
	_, err = conn.Create(node, nil, 0, everybody())
	if errors.Is(err, zk.ErrNodeExists) {
		return nil // another probe created it after the call
	}
	return err
}
