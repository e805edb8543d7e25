package locks

import (
	"context"
	"errors"
	"math"
	"time"
)

// ErrNotAcquired: certainly not acquired, and never will be by this call.
// Never return it for a time-out that leaves a request behind.
var ErrNotAcquired = errors.New("lock not acquired")

// ErrNotHeld: the lease had already ended; also the answer to a second release.
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
	// Release ends the lease. An error that wraps ErrNotHeld says that it
	// had ended before; any other leaves the outcome unknown.
	Release(ctx context.Context) error
}

// A Trier is a Locker that can ask without waiting.
type Trier interface {
	// TryAcquire returns an error that wraps ErrNotAcquired if the lock is taken.
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

// A Watched lease tells its holder, by closing the channel, that it is over
// although it was not released.
type Watched interface{ Lost() <-chan struct{} }

// An Owned lease knows the owner value under which the server keeps it, so
// that a look at the server can be matched with a grant.
type Owned interface{ Owner() string }

// Forever is the validity of a lease that declares no end.
const Forever = time.Duration(math.MaxInt64)

// An Asker is a Lease whose validity must be asked for, because it lives in
// another process.
type Asker interface {
	// Ask returns how long the lease is still valid by its own declaration,
	// counted from some moment between the call and its return; Forever if
	// it declares no end. An error that wraps ErrNotHeld says that the lease
	// is over or that its loss was told; any other leaves it unknown.
	Ask(ctx context.Context) (time.Duration, error)
}

// Traits is what a backend declares about itself.
type Traits struct {
	Kind      string // what it offers, one of Kinds: Exclusive, ReadWrite, …
	Single    bool   // of a latch: its count is always 1; of a semaphore: an acquire takes one permit
	Reentrant bool   // the owner may acquire again
	Upgrades  bool   // a reader's lease is an Upgrader and a Downgrader
	Fair      bool   // grants in the order of the queue
	Wait      string // "spin", "pub/sub", "server", "watch", "queue": how waiters wait; "" for no wait at all
	Renews    bool   // keeps a held lease alive by itself
	Token     bool   // leases are Fenced
	Bounded   bool   // leases are Bounded
	Watched   bool   // leases are Watched
	Observed  bool   // of an election: clients are Observers
	Blind     bool   // Release returns nil, too, for a lease that had ended before
	Validity  string // "TTL", "renewal+TTL", "session", "connection", …; "" for none

	LeastTTL time.Duration // the shortest TTL that makes sense; 0: has no TTL
	// Model is the sequential model by which the lock's operations are
	// graded: "mutex", "lease", "timed-lease", "fenced", "rwlock", "semaphore", ….
	Model string
	// FreeWithin is the time after which a lock whose holder is gone must
	// be obtainable again; nil: it says nothing, and a run holds it to three TTLs.
	FreeWithin func(ttl time.Duration) time.Duration `json:"-"`
	// Clock says on whose clock the leases run, in a few words.
	Clock string
}
