package hidden

import (
	"context"
	"time"

	"locktorture/locks"
)

// replyTime counts the validity of a lease from the reply. The server counts from the request.
type replyTime struct{ base }

func (l replyTime) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	v := value()
	return waits(ctx, name, func() (locks.Lease, error) {
		from := time.Now()
		ok, err := l.set(ctx, name, v)
		if !ok || err != nil {
			return nil, err
		}
		if !l.right {
			from = time.Now()
		}
		return l.kept(name, v, from.Add(l.ttl)), nil
	})
}
