package s3

import (
	"context"
	"fmt"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is an object that a put with If-None-Match: * makes; the release reads it and, if it
// is still the owner's, deletes it. It has no expiry. Waiters spin.
//
// Source: use_lockfile of the s3 backend of Terraform 1.10 and OpenTofu 1.10. Clock: none.
//
// It does not promise that the lock is ever free again when its holder dies, or when the
// answer to the put is lost: somebody has to force it open. It promises no order among
// waiters, and has no token. Whoever forces it open while the holder is alive makes two
// holders.
type Lock struct{ *client }

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used. The TTL is not used.
func New(cfg Config) *Lock { return &Lock{newClient(cfg)} }

// Traits returns the lock's traits.
func Traits() locks.Traits { return locks.Traits{Wait: "spin", Model: "mutex", Clock: "none"} }

// Acquire spins until the object could be made.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, l.terms, l.attempt, name)
}

// TryAcquire sends one put.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, l.terms, l.attempt, name)
}

func (l *Lock) attempt(name string) (*lockLease, attempt.Try) {
	lease := &lockLease{l, name, attempt.Owner(l.cfg.Owner)}
	return lease, func(ctx context.Context) (bool, error) {
		_, err := l.store.Put(ctx, objectKey(name), record{Owner: lease.owner}.bytes(), s3api.IfAbsent())
		if s3api.NotSo(err) {
			return false, nil
		}
		return err == nil, err
	}
}

// A lockLease is the object with this owner's record.
type lockLease struct {
	lock        *Lock
	name, owner string
}

var _ locks.Owned = (*lockLease)(nil)

// Owner returns the owner in the record.
func (l *lockLease) Owner() string { return l.owner }

// Release deletes the object if it is still this owner's. Nobody else makes it until it is
// gone, so between the two requests it cannot become another's.
func (l *lockLease) Release(ctx context.Context) error {
	r, _, err := l.lock.get(ctx, l.name)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if r.Owner != l.owner {
		return locks.ErrNotHeld
	}
	rctx, cancel := l.lock.terms.Request(ctx)
	defer cancel()
	if err := l.lock.store.Delete(rctx, objectKey(l.name), s3api.Condition{}); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}
