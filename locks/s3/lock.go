package s3

import (
	"context"
	"fmt"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Lock is an object that a put with If-None-Match: * creates. The release reads it and, if it
// still has the owner, deletes it. It has no expiry. Waiters spin.
//
// Source: use_lockfile of the s3 backend of Terraform 1.10 and OpenTofu 1.10. Clock: none.
//
// It does not promise that the lock ever becomes free if its holder dies, or if the answer to the
// put is lost: somebody must force it open. It promises no order among waiters, and has no token.
// Forcing it open while the holder is alive makes two holders.
type Lock struct{ *client }

var (
	_ locks.Locker = (*Lock)(nil)
	_ locks.Trier  = (*Lock)(nil)
)

// New returns a client; it connects when it is first used. The TTL is not used.
func New(cfg Config) *Lock { return &Lock{newClient(cfg)} }

// Traits returns the lock's traits.
func Traits() locks.Traits { return locks.Traits{Wait: "spin", Model: "mutex", Clock: "none"} }

// Acquire spins until the object is created.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, l.terms, l.attempt, name)
}

// TryAcquire sends one put.
func (l *Lock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, l.terms, l.attempt, name)
}

// attempt returns a lease and the function that tries once to create the object. The store refuses
// if the object exists.
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

// Release deletes the object if it still has this owner. Until it is gone, nobody else can create
// it, so it cannot change its owner between the two requests.
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
