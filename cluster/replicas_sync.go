package cluster

import "context"

// WaitSync returns once every replica has all that the primary had written.
func (r *Replicas) WaitSync(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inSync(ctx)
}
