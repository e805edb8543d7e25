package harness

import (
	"context"
	"errors"

	"locktorture/locks"
	"locktorture/workloads"
)

var _ workloads.Reenterer = (*holderStore)(nil)

// Reenter acquires a lock of the section once more and runs body under the inner lease, which it
// releases before it returns. The inner acquire may be a new grant: if the outer lease was over,
// the lock may have been free.
func (s *holderStore) Reenter(ctx context.Context, lock string, body func() error) error {
	c := s.client
	// The end of the run must not look like a refusal, because a reentrant lock grants its holder
	// at once.
	inner, err := c.acquire(context.WithoutCancel(ctx), lock, false, locks.Claim{})
	if err != nil {
		return err
	}
	outer := s.leases
	s.leases = append([]*held{inner}, outer...)
	err = body()
	s.leases = outer
	if errors.Is(err, errUnknown) {
		c.life.retire() // the client's next process releases the leases
		err = workloads.ErrGone
	}
	if rerr := inner.release(ctx); rerr != nil {
		return rerr
	}
	return err
}
