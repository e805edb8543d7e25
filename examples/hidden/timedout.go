package hidden

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// timedOut says "not acquired" of a request that timed out, which the server carries out later.
type timedOut struct{ base }

// patience is how long it waits for an answer.
const patience = 100 * time.Millisecond

func impatient(o *redis.Options) { o.ReadTimeout = patience }

func (l timedOut) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return waits(ctx, name, func() (locks.Lease, error) {
		v, from := value(), time.Now()
		ok, err := l.set(ctx, name, v)
		switch {
		case err != nil && !l.right:
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		case !ok || err != nil:
			return nil, err
		}
		return l.kept(name, v, from.Add(l.ttl)), nil
	})
}
