package locks

import (
	"context"
	"errors"
	"math"
	"time"
)

// ErrNotAcquired reports that the lock was certainly not acquired, and never will be by this
// call. Never return it for a timeout that leaves a request in flight.
var ErrNotAcquired = errors.New("lock not acquired")

// ErrNotHeld reports that the lease had already ended. It is also the answer to a second release.
var ErrNotHeld = errors.New("lock not held")

// A Locker is one client of a lock service. Its methods may be called from
// several goroutines.
type Locker interface {
	// Acquire waits until it holds the named lock or ctx is done. An error
	// that wraps ErrNotAcquired is certain; any other means that a request
	// was left unanswered and the lock may yet be taken in this client's name.
	Acquire(ctx context.Context, name string) (Lease, error)
	// Close drops the connection without releasing, as a crash would.
	Close() error
}

// A Lease is one client's belief that it holds a lock.
type Lease interface {
	// Release ends the lease. An error that wraps ErrNotHeld means that it had ended before; any
	// other error leaves the outcome unknown.
	Release(ctx context.Context) error
}

// A Trier is a Locker that can ask without waiting.
type Trier interface {
	// TryAcquire asks once. Its error wraps ErrNotAcquired if the lock is taken, and is certain or
	// not as in Acquire.
	TryAcquire(ctx context.Context, name string) (Lease, error)
}

// A Renewer is a Lease that its holder can extend by one TTL from now.
type Renewer interface {
	Renew(ctx context.Context) error
}

// A Fenced lease has a token that grows from grant to grant of its lock and
// stays the same on re-entry.
type Fenced interface{ Token() uint64 }

// A Bounded lease declares the end of its own validity, by the client's clock.
type Bounded interface{ Until() time.Time }

// A Watched lease notifies its holder, by closing the channel, that the lease is over although it
// was not released.
type Watched interface{ Lost() <-chan struct{} }

// An Owned lease knows the owner value by which the server identifies it, so that a probe of the
// server can be matched with a grant.
type Owned interface{ Owner() string }

// Forever is the validity of a lease that declares no end.
const Forever = time.Duration(math.MaxInt64)

// An Asker is a Lease in another process, which must be asked for its validity.
type Asker interface {
	// Ask returns the remaining validity that the lease declares, counted from some moment between
	// the call and its return; Forever if it declares no end. An error that wraps ErrNotHeld means
	// that the lease is over or that its loss was reported; after any other error the validity is
	// unknown.
	Ask(ctx context.Context) (time.Duration, error)
}

// Traits holds the properties that a backend declares about itself. The checker holds the lock to
// them.
type Traits struct {
	// Kind is one of Kinds: Exclusive, ReadWrite and others.
	Kind string
	// Single reports that the count of a latch is always 1, or that each acquire of a semaphore
	// takes one permit.
	Single bool
	// Reentrant reports that the owner may acquire the lock again.
	Reentrant bool
	// Upgrades reports that a reader's lease is an Upgrader and a Downgrader.
	Upgrades bool
	// Fair reports that grants follow the order of the queue. The checker then looks for
	// overtaking.
	Fair bool
	// Wait is the way in which waiters wait: "spin", "pub/sub", "server", "watch" or "queue". ""
	// means that they do not wait.
	Wait string
	// Renews reports that the client renews a held lease by itself.
	Renews bool
	// Token reports that leases are Fenced.
	Token bool
	// Bounded reports that leases are Bounded.
	Bounded bool
	// Watched reports that leases are Watched.
	Watched bool
	// Observed reports that the clients of an election are Observers.
	Observed bool
	// Blind reports that Release also returns nil for a lease that had ended before.
	Blind bool
	// Validity names the end of the validity: "TTL", "renewal+TTL", "session", "connection" and
	// others. "" means that there is none.
	Validity string

	// LeastTTL is the shortest usable TTL. 0 means that the lock has no TTL.
	LeastTTL time.Duration
	// Model names the sequential model that the lock's operations must follow: "mutex", "lease",
	// "timed-lease", "fenced", "rwlock", "semaphore", ….
	Model string
	// FreeWithin is the time after which the lock of a dead holder must be obtainable again; nil if
	// the lock declares none, and a run then requires three TTLs.
	FreeWithin func(ttl time.Duration) time.Duration `json:"-"`
	// Clock describes in a few words the clock that ends the leases.
	Clock string
}
