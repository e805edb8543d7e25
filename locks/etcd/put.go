package etcd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Put is broken on purpose: it puts a key under a lease without any comparison.
//
// Source: articles on "distributed locks with etcd" that show grant and put without a
// transaction. Clock: the etcd leader's monotonic clock ends the lease, which the client never
// renews.
//
// It promises nothing: every acquire is granted at once and overwrites the holder's value.
type Put struct{ *server }

var _ locks.Locker = (*Put)(nil)

// NewPut returns a client.
func NewPut(cfg Config) (*Put, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &Put{s}, nil
}

// PutTraits returns the lock's traits.
func PutTraits() locks.Traits {
	return locks.Traits{
		LeastTTL: time.Second, Model: "lease", FreeWithin: freeWithin,
		Clock: "the etcd leader's monotonic clock",
	}
}

// Acquire puts the key.
func (l *Put) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	ctx, cancel := l.graced(ctx)
	defer cancel()
	g, err := l.grant(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: get a lease: %w", locks.ErrNotAcquired, err)
	}
	p := &putLease{put: l, granted: g, owner: l.owner()}
	_, _, err = insist(ctx, l.server, func(ctx context.Context) (*clientv3.PutResponse, error) {
		return l.etcd.Put(ctx, prefix(name)+"holder", p.owner, clientv3.WithLease(g.id))
	})
	if err != nil {
		return nil, attempt.Unanswered(err)
	}
	return p, nil
}

// A putLease is an etcd lease and possibly the key under it.
type putLease struct {
	put     *Put
	granted granted
	owner   string

	released atomic.Bool
}

var _ locks.Owned = (*putLease)(nil)

// Owner returns the value of the key.
func (p *putLease) Owner() string { return p.owner }

// Release revokes the lease. That deletes the key if it is still under this lease.
func (p *putLease) Release(ctx context.Context) error {
	if p.released.Swap(true) {
		return locks.ErrNotHeld
	}
	ctx, cancel := p.put.graced(ctx)
	defer cancel()
	return p.put.release(ctx, p.granted)
}
