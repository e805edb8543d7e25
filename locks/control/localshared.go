package control

import (
	"context"
	"strconv"
	"time"

	"locktorture/locks"
)

// A LocalRW is a read–write lock of a LocalServer, which must never be accused.
//
// Algorithm: the queue of Local; its head is granted as soon as what is held allows it, so that a reader that
// asks after a waiting writer waits behind it. Source: this package. Clock: none, see Local. It does
// not promise upgrades, downgrades and re-entry.
type LocalRW struct{ *Local }

var (
	_ locks.Locker = LocalRW{}
	_ locks.Sharer = LocalRW{}
)

// LocalRWTraits is what the lock declares.
func LocalRWTraits() locks.Traits { return localTraits(locks.ReadWrite, "timed-rwlock") }

// AcquireShared waits in the server's queue until there is no writer.
func (l LocalRW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return l.take(ctx, "acquire", name, "shared")
}

// A LocalSemaphore is a semaphore of a LocalServer, which must never be accused.
//
// Algorithm: the queue of Local; its head is granted as soon as so many permits are left. Source: this
// package. Clock: none, see Local.
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

// LocalSemaphoreTraits is what the semaphore declares.
func LocalSemaphoreTraits() locks.Traits { return localTraits(locks.Semaphore, "timed-semaphore") }

// AcquirePermits waits in the server's queue until so many permits are left.
func (l LocalSemaphore) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return l.local.take(ctx, "acquire", name, "permits", strconv.Itoa(n), strconv.Itoa(capacity))
}

// Close drops the connection; the server frees what it held.
func (l LocalSemaphore) Close() error { return l.local.Close() }

func localTraits(kind, model string) locks.Traits {
	return locks.Traits{
		Kind: kind, Fair: true, Wait: "queue", Validity: "connection", Model: model, Clock: "none",
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}
