package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrNoLeader is returned by Leader if the nodes have no leader now, or never have one.
var ErrNoLeader = errors.New("no leader")

// roleTime bounds the time in which a node must report its role.
const roleTime = 300 * time.Millisecond

// HasLeader reports whether the nodes elect a leader that Leader can find.
func (c *Cluster) HasLeader() bool { return c.leader != nil }

// Leader returns the index of the current leader among the nodes. A node that was cut off may
// believe for a while that it still leads; of several candidates, the one elected last is returned.
// The error wraps ErrNoLeader if no node reports that it leads.
func (c *Cluster) Leader(ctx context.Context) (int, error) {
	if c.leader == nil {
		return -1, fmt.Errorf("the nodes of %s are equal: %w", c.Topology, ErrNoLeader)
	}
	return c.leader(ctx)
}

// A role is a node's own view of its role.
type role struct {
	leads bool
	term  uint64 // increases with every election
}

// highest returns a function that asks all nodes at once for their roles and returns the leader
// with the highest term.
func highest(nodes []Node, ask func(ctx context.Context, addr string) (role, error)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		ctx, cancel := context.WithTimeout(ctx, roleTime)
		defer cancel()
		roles := make([]role, len(nodes))
		var wg sync.WaitGroup
		for i, n := range nodes {
			wg.Go(func() {
				if r, err := ask(ctx, n.Addr()); err == nil { // a node that is down is no leader
					roles[i] = r
				}
			})
		}
		wg.Wait()
		leader := -1
		for i, r := range roles {
			if r.leads && (leader < 0 || r.term > roles[leader].term) {
				leader = i
			}
		}
		if leader < 0 {
			return -1, fmt.Errorf("of %d nodes: %w", len(nodes), ErrNoLeader)
		}
		return leader, nil
	}
}

// awaitLeader waits until the nodes have a leader.
func (b *builder) awaitLeader(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	err := poll(ctx, 10*time.Millisecond, func() (bool, error) {
		_, err := b.cluster.Leader(ctx)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for a leader: %w", err)
	}
	return nil
}
