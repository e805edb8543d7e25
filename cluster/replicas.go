package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// replicaPoll is the interval between two checks of a server's state.
const replicaPoll = 2 * time.Millisecond

// A restarter is a node that can be killed and started again, as a fail-over needs.
type restarter interface {
	Node
	Kill(ctx context.Context) error
	Start(ctx context.Context, wipe bool) error
}

// Replicas controls a Redis primary and its replicas behind a virtual endpoint. Its methods may be
// called from several goroutines; each waits until the others have returned.
type Replicas struct {
	mu        sync.Mutex
	nodes     []restarter
	links     mesh    // links[i][j]: the connection over which i replicates from j
	endpoints []*Link // one for each client
	primary   atomic.Int32
	killed    map[int]bool // nodes killed by Failover, until Rejoin
}

// cutReplicas cuts the links over which the replicas of primary follow it.
func cutReplicas(nodes []restarter, links mesh, primary int) error {
	for i := range nodes {
		if i == primary {
			continue
		}
		if err := links[i][primary].Cut(); err != nil {
			return fmt.Errorf("cut %s from %s: %w", nodes[i].Name(), nodes[primary].Name(), err)
		}
	}
	return nil
}

// waitWrite waits until primary holds a key with a value that every running replica lacks.
func waitWrite(ctx context.Context, nodes []restarter, primary int, killed map[int]bool) error {
	var others []string
	for i, n := range nodes {
		if i != primary && !killed[i] {
			others = append(others, n.Addr())
		}
	}
	d := newDiffer(nodes[primary].Addr(), others)
	defer d.close()
	if err := poll(ctx, replicaPoll, func() (bool, error) { return d.ahead(ctx) }); err != nil {
		return fmt.Errorf("wait for a write that the replicas have not got: %w", err)
	}
	return nil
}

// Primary returns the index of the current primary.
func (r *Replicas) Primary() int { return int(r.primary.Load()) }

// CutReplicas interrupts the replication to all replicas: they do not receive later writes of the
// primary. The primary still considers the connections alive.
func (r *Replicas) CutReplicas(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cutReplicas(r.nodes, r.links, r.Primary())
}

// WaitWrite waits until the primary holds a key with a value that no replica has. A deleted key
// does not count, nor does a changed expiry.
func (r *Replicas) WaitWrite(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return waitWrite(ctx, r.nodes, r.Primary(), r.killed)
}

// Failover kills the primary, promotes the most advanced replica and redirects the virtual
// endpoints, which breaks the connections of the clients. It returns once the new primary accepts
// writes.
func (r *Replicas) Failover(ctx context.Context) (promoted string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next, err := r.furthest(ctx, r.Primary())
	if err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	return r.failover(ctx, next)
}

// failover kills the primary and promotes a replica.
func (r *Replicas) failover(ctx context.Context, next int) (promoted string, err error) {
	old := r.Primary()
	if err := r.nodes[old].Kill(ctx); err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	r.killed[old] = true
	name := r.nodes[next].Name()
	if err := promote(ctx, r.nodes[next].Addr()); err != nil {
		return "", fmt.Errorf("fail over to %s: %w", name, err)
	}
	r.primary.Store(int32(next))
	for _, e := range r.endpoints {
		if err := e.move(r.nodes[next].Addr()); err != nil {
			return "", fmt.Errorf("fail over to %s: %w", name, err)
		}
	}
	for i := range r.nodes {
		if i != next && !r.killed[i] {
			if err := r.place(ctx, i); err != nil {
				return "", fmt.Errorf("fail over to %s: %w", name, err)
			}
		}
	}
	return name, nil
}

// furthest returns the replica that has received more of the primary's writes than any other one.
func (r *Replicas) furthest(ctx context.Context, primary int) (int, error) {
	best, most := -1, int64(-1)
	var errs []error
	for i, n := range r.nodes {
		if i == primary || r.killed[i] {
			continue
		}
		s, err := replication(ctx, n.Addr())
		errs = append(errs, err)
		if err == nil && s.offset > most {
			best, most = i, s.offset
		}
	}
	if best < 0 {
		return 0, errors.Join(append(errs, errors.New("no replica to promote"))...)
	}
	return best, nil
}

// Rejoin heals the links between the nodes and restarts a killed primary as a replica. It returns
// when every replica is in sync.
func (r *Replicas) Rejoin(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.links.heal(); err != nil {
		return fmt.Errorf("rejoin: %w", err)
	}
	for i := range r.nodes {
		if !r.killed[i] {
			continue
		}
		if err := r.nodes[i].Start(ctx, false); err != nil {
			return fmt.Errorf("rejoin: %w", err)
		}
		delete(r.killed, i)
	}
	return r.inSync(ctx)
}

// inSync waits until every replica has all data that the primary had written at the call.
func (r *Replicas) inSync(ctx context.Context) error {
	p := r.Primary()
	for i, n := range r.nodes {
		if i == p {
			continue
		}
		err := poll(ctx, replicaPoll, func() (bool, error) {
			return synced(ctx, n.Addr(), r.nodes[p].Addr(), r.links[i][p].Addr())
		})
		if err != nil {
			return fmt.Errorf("wait for %s to follow %s: %w", n.Name(), r.nodes[p].Name(), err)
		}
	}
	if err := acknowledged(ctx, r.nodes[p].Addr(), len(r.nodes)-1); err != nil {
		return fmt.Errorf("wait for the replicas of %s: %w", r.nodes[p].Name(), err)
	}
	return nil
}

// place makes a running node a replica, unless it is the primary.
func (r *Replicas) place(ctx context.Context, i int) error {
	p := r.Primary()
	if i == p {
		return nil
	}
	return follow(ctx, r.nodes[i].Addr(), r.links[i][p].Addr())
}

// poll repeats a check until it succeeds or fails with an error, or until ctx ends. The deadline of
// a connection is derived from ctx and may expire a moment before it.
func poll(ctx context.Context, every time.Duration, ask func() (bool, error)) error {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		ok, err := ask()
		late := ctx.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded)
		if ok || err != nil && !late {
			return err
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
