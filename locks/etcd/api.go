package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An API is etcd's own lock service (v3lock): the server queues on the client's behalf, under a
// lease that the client requests for each call and never renews. The lease runs while the
// client waits; when it expires, the client requests another and goes to the end of the queue.
//
// Source: etcd's API reference, "service Lock". Clock: the etcd leader's monotonic clock ends
// the lease; the client computes the validity by its own clock, as the start of the lease's
// request plus the TTL.
//
// It does not promise that a holder finishes its work before the lease is over.
type API struct{ *server }

var _ locks.Locker = (*API)(nil)

// NewAPI returns a client.
func NewAPI(cfg Config) (*API, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &API{s}, nil
}

// APITraits returns the lock's traits.
func APITraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "server", Token: true, Bounded: true,
		Validity: "lease TTL", LeastTTL: time.Second, Model: "fenced", FreeWithin: freeWithin,
		Clock: "the etcd leader's monotonic clock",
	}
}

// Acquire lets the server wait for the lock. A lease that ends while the call waits is revoked, and
// the call starts again with a new lease.
func (l *API) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		g, err := l.grant(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: get a lease: %w", locks.ErrNotAcquired, err)
		}
		a, err := l.lock(ctx, name, g)
		if err == nil {
			return a, nil
		}
		// Revoking the lease also deletes the key of the call, now or when it is put later.
		graced, cancel := l.graced(ctx)
		_, _, rerr := l.revoke(graced, g.id)
		cancel()
		if rerr != nil {
			return nil, attempt.Unanswered(errors.Join(err, rerr))
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		l.pause(ctx, retry)
	}
}

// lock calls the service once. It waits at most until the end of the lease, since a later grant
// would be over already.
func (l *API) lock(ctx context.Context, name string, g granted) (*apiLease, error) {
	until := g.start.Add(g.ttl)
	ctx, cancel := context.WithTimeout(ctx, until.Sub(l.cfg.Clock.Now()))
	defer cancel()
	key, revision, err := callLock(ctx, l.etcd.ActiveConnection(), locks.Key("lock/", name), int64(g.id))
	if err != nil {
		return nil, err
	}
	if !l.cfg.Clock.Now().Before(until) {
		return nil, errors.New("the lease ended before the answer came")
	}
	return &apiLease{api: l, granted: g, key: key, token: uint64(revision), until: until}, nil
}

// An apiLease is a key that the lock service has created.
type apiLease struct {
	api     *API
	granted granted
	key     []byte
	token   uint64
	until   time.Time

	released atomic.Bool
}

var (
	_ locks.Fenced  = (*apiLease)(nil)
	_ locks.Bounded = (*apiLease)(nil)
	_ locks.Owned   = (*apiLease)(nil)
)

// Token returns the revision of the store at the grant.
func (a *apiLease) Token() uint64 { return a.token }

// Until returns the start of the lease's request plus its TTL.
func (a *apiLease) Until() time.Time { return a.until }

// Owner returns the id of the lease in hex, which is the last part of the key: the service does not
// let the client choose an owner value.
func (a *apiLease) Owner() string { return strconv.FormatInt(int64(a.granted.id), 16) }

// Release calls Unlock, which does not report whether the key was still there, and then revokes
// the lease, which does.
func (a *apiLease) Release(ctx context.Context) error {
	if a.released.Swap(true) {
		return locks.ErrNotHeld
	}
	ctx, cancel := a.api.graced(ctx)
	defer cancel()
	_, _, unlockErr := insist(ctx, a.api.server, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, callUnlock(ctx, a.api.etcd.ActiveConnection(), a.key)
	})
	err := a.api.release(ctx, a.granted)
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		return err
	}
	return errors.Join(err, unlockErr)
}
