package cluster

import (
	"context"
	"fmt"
)

// WaitSync returns once every replica has all that the primary had written.
func (r *Replicas) WaitSync(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inSync(ctx)
}

// FailoverTo is Failover to one replica (index), however far behind it is.
func (r *Replicas) FailoverTo(ctx context.Context, next int) (promoted string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if next == r.Primary() || r.killed[next] {
		return "", fmt.Errorf("fail over to %s: it is no replica that runs", r.nodes[next].Name())
	}
	return r.failover(ctx, next)
}

// CutReplica stops replication to one replica (index).
func (r *Replicas) CutReplica(_ context.Context, i int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i == r.Primary() {
		return fmt.Errorf("cut %s from itself", r.nodes[i].Name())
	}
	return r.links[i][r.Primary()].Cut()
}
