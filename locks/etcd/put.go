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

// A Put is a lease and a key that is put without any comparison.
//
// Source: articles on "distributed locks with etcd" that show grant and put, and no
// transaction. Clock: the etcd leader's monotonic clock ends the lease, which nobody renews.
//
// It promises nothing: whoever asks is granted the lock at once, and puts its
// value over the holder's.
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

// PutTraits is what the lock declares.
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
	p := &putLease{put: l, id: g.id, owner: l.owner()}
	_, _, err = insist(ctx, l.server, func(ctx context.Context) (*clientv3.PutResponse, error) {
		return l.etcd.Put(ctx, prefix(name)+"holder", p.owner, clientv3.WithLease(g.id))
	})
	if err != nil {
		return nil, attempt.Unanswered(err)
	}
	return p, nil
}

// A putLease is a lease of etcd and, perhaps, the key under it.
type putLease struct {
	put   *Put
	id    clientv3.LeaseID
	owner string

	released atomic.Bool
}

var _ locks.Owned = (*putLease)(nil)

// Owner is the value of the key.
func (p *putLease) Owner() string { return p.owner }

// Release revokes the lease, and the key goes with it if it is still under it.
func (p *putLease) Release(ctx context.Context) error {
	if p.released.Swap(true) {
		return locks.ErrNotHeld
	}
	ctx, cancel := p.put.graced(ctx)
	defer cancel()
	switch held, err := p.put.revoke(ctx, p.id); {
	case err != nil:
		return fmt.Errorf("release: %w", err)
	case !held:
		return locks.ErrNotHeld
	}
	return nil
}
