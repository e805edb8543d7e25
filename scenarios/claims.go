package scenarios

import (
	"context"

	"locktorture/harness"
	"locktorture/locks"
)

// A Claim is a part of the lock that a client can request. Client.Acquire requests the whole lock: as
// the writer of a read–write lock, as a candidate in an election.
type Claim struct {
	client *Client
	claim  locks.Claim
}

// Reader returns the claim of a reader.
func (c *Client) Reader() Claim { return Claim{c, locks.Claim{Shared: true}} }

// Permit returns the claim of one permit of a semaphore with this capacity.
func (c *Client) Permit(capacity int) Claim {
	return Claim{c, locks.Claim{Permits: 1, Capacity: capacity}}
}

func (r Claim) request(ctx context.Context, lock string) (*harness.Grant, error) {
	return r.client.scripted.Claim(ctx, lock, r.claim)
}

// Acquire takes this part. The script cannot continue without it.
func (r Claim) Acquire() *Lease {
	c := r.client
	l := c.acquire(c.stage.Lock, patience, r.request)
	if l == nil {
		c.stage.stick("%s was not granted %s: %v", c.name(), c.stage.Lock, c.refusal)
	}
	return l
}

// AcquireLater starts to take this part and returns immediately.
func (r Claim) AcquireLater() *Pending { return r.client.begin(r.request, longest) }
