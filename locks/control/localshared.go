package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"locktorture/locks"
)

// A LocalRW is a read–write lock of a LocalServer, which must never be flagged.
//
// Algorithm: the queue of Local. Its head is granted as soon as the present holds admit it, so a
// reader that asks after a waiting writer waits behind it. A reader that upgrades waits at the head
// until the other readers have left; a second upgrade is refused. Source: this package. Clock:
// none, see Local. It does not promise re-entry.
type LocalRW struct{ *Local }

var (
	_ locks.Locker = LocalRW{}
	_ locks.Sharer = LocalRW{}
)

// LocalRWTraits returns the lock's traits.
func LocalRWTraits() locks.Traits {
	t := localTraits(locks.ReadWrite, "timed-rwlock")
	t.Upgrades = true
	return t
}

// Acquire waits in the server's queue until nobody else holds the lock.
func (l LocalRW) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return changing(l.take(ctx, "acquire", name))
}

// AcquireShared waits in the server's queue until there is no writer.
func (l LocalRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return changing(l.take(ctx, "acquire", name, "shared"))
}

// changing wraps a lease so that it can be upgraded and downgraded.
func changing(l locks.Lease, err error) (locks.Lease, error) {
	if own, ok := l.(*localLease); ok && err == nil {
		return localRWLease{own}, nil
	}
	return l, err
}

// A localRWLease is the lease of a reader or a writer. It can change from one to the other.
type localRWLease struct{ *localLease }

var (
	_ locks.Upgrader   = localRWLease{}
	_ locks.Downgrader = localRWLease{}
)

// Upgrade waits until there is no other reader. Meanwhile the server lets no new reader in.
func (l localRWLease) Upgrade(ctx context.Context) error { return l.change(ctx, "upgrade") }

// Downgrade makes the writer a reader, so that other readers can enter.
func (l localRWLease) Downgrade(ctx context.Context) error { return l.change(ctx, "downgrade") }

// change sends an upgrade or a downgrade. Both keep the token, so the lease stays the same.
func (l localRWLease) change(ctx context.Context, op string) error {
	n := l.local.last.Add(1)
	words, err := l.session.call(ctx, l.local.cfg.Patience, n, op, url.QueryEscape(l.name), strconv.FormatUint(l.token, 10))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", op, err)
	case words[0] == "not-held":
		return locks.ErrNotHeld
	case words[0] == "refused":
		return fmt.Errorf("%s: %w: another upgrade waits, or the time was over", op, locks.ErrNotAcquired)
	}
	return nil
}

// A LocalSemaphore is a semaphore of a LocalServer, which must never be flagged.
//
// Algorithm: the queue of Local. Its head is granted as soon as enough permits are left. Source:
// this package. Clock: none, see Local.
type LocalSemaphore struct {
	locks.NotExclusive
	local *Local
}

var (
	_ locks.Locker    = LocalSemaphore{}
	_ locks.Permitter = LocalSemaphore{}
)

// NewLocalSemaphore returns a client.
func NewLocalSemaphore(cfg LocalConfig) LocalSemaphore { return LocalSemaphore{local: NewLocal(cfg)} }

// LocalSemaphoreTraits returns the semaphore's traits.
func LocalSemaphoreTraits() locks.Traits { return localTraits(locks.Semaphore, "timed-semaphore") }

// AcquirePermits waits in the server's queue until n permits are left.
func (l LocalSemaphore) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return l.local.take(ctx, "acquire", name, "permits", strconv.Itoa(n), strconv.Itoa(capacity))
}

// Close drops the connection; the server frees the client's permits.
func (l LocalSemaphore) Close() error { return l.local.Close() }

// localTraits returns the traits that the locks of a LocalServer share. FreeWithin is one second,
// as for LocalTraits.
func localTraits(kind, model string) locks.Traits {
	return locks.Traits{
		Kind: kind, Fair: true, Wait: "queue", Validity: "connection", Model: model, Clock: "none",
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}
