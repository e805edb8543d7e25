package locks

import (
	"context"
	"errors"
	"fmt"
)

// A Sharer is a client of a read–write lock. Its Acquire takes the lock as a writer.
type Sharer interface {
	// AcquireShared waits until the client holds the lock as a reader. Errors are as in
	// Acquire.
	AcquireShared(ctx context.Context, name string) (Lease, error)
}

// A Permitter is a client of a semaphore.
type Permitter interface {
	// AcquirePermits waits until the client has all n permits at once, of a semaphore with the
	// given capacity. It never takes a part of them. Errors are as in Acquire; a semaphore that
	// hands out single permits returns errors.ErrUnsupported for n > 1. All clients of a name
	// must pass the same capacity.
	AcquirePermits(ctx context.Context, name string, n, capacity int) (Lease, error)
}

// An Elector is a candidate of an election.
type Elector interface {
	// Campaign waits until this client is the leader under the given value, which must not be
	// empty. Errors are as in Acquire. The Token of the lease is the term, which grows from
	// leader to leader. Release resigns.
	Campaign(ctx context.Context, name, value string) (Lease, error)
}

// An Observer can ask for the leader of an election.
type Observer interface {
	// Leader returns the value and the term of the present leader: "" and 0 if there is none.
	// The term is also 0 in an election without terms. An error leaves open who leads.
	Leader(ctx context.Context, name string) (value string, term uint64, err error)
}

// An Upgrader is a reader's Lease that can become a writer's.
type Upgrader interface {
	// Upgrade waits until there is no other reader, and then holds the lock as a writer; no
	// other client holds it as a writer in between. An error that wraps ErrNotAcquired is a
	// refusal: the lease remains a reader's. An upgrade is refused while another one waits,
	// because the two would wait for each other forever. An error that wraps ErrNotHeld
	// reports that the lease had ended. Any other error leaves open whether the lease is a
	// reader's or a writer's.
	Upgrade(ctx context.Context) error
}

// A Downgrader is a writer's Lease that can become a reader's.
type Downgrader interface {
	// Downgrade turns the lease into a reader's; no other client holds the lock as a writer in
	// between. Errors are as in Upgrade.
	Downgrade(ctx context.Context) error
}

// A Claim describes the part of a lock that a client requests. The zero value requests the whole
// lock.
type Claim struct {
	// Shared requests the lock as a reader, together with other readers.
	Shared bool
	// Permits is the number of permits of a semaphore. It is 0 for other kinds.
	Permits int
	// Capacity is the total number of permits of the semaphore.
	Capacity int
	// Value is the candidate's value in an election. It is "" for other kinds.
	Value string
	// Parties is the number of parties of the barrier to enter. It is 0 for other kinds.
	Parties int
}

// Take acquires the part of the lock that the claim describes. It returns errors.ErrUnsupported,
// and sends nothing, if the lock does not offer it.
func Take(ctx context.Context, l Locker, name string, c Claim) (Lease, error) {
	switch {
	case c.Parties > 0:
		if b, ok := l.(Barrier); ok {
			return b.Enter(ctx, name, c.Parties)
		}
		return nil, fmt.Errorf("a barrier: %w", errors.ErrUnsupported)
	case c.Permits > 0:
		if p, ok := l.(Permitter); ok {
			return p.AcquirePermits(ctx, name, c.Permits, c.Capacity)
		}
		return nil, fmt.Errorf("permits: %w", errors.ErrUnsupported)
	case c.Shared:
		if s, ok := l.(Sharer); ok {
			return s.AcquireShared(ctx, name)
		}
		return nil, fmt.Errorf("a shared lock: %w", errors.ErrUnsupported)
	case c.Value != "":
		if e, ok := l.(Elector); ok {
			return e.Campaign(ctx, name, c.Value)
		}
		return nil, fmt.Errorf("an election: %w", errors.ErrUnsupported)
	}
	return l.Acquire(ctx, name)
}

// Leader asks for the leader of an election. It returns errors.ErrUnsupported if the lock is
// not an Observer.
func Leader(ctx context.Context, l Locker, name string) (value string, term uint64, err error) {
	if o, ok := l.(Observer); ok {
		return o.Leader(ctx, name)
	}
	return "", 0, fmt.Errorf("an observer: %w", errors.ErrUnsupported)
}

// NotExclusive is embedded by clients that are Lockers but offer no exclusive lock, such as
// a semaphore or an election.
type NotExclusive struct{}

// Acquire returns errors.ErrUnsupported and sends nothing.
func (NotExclusive) Acquire(context.Context, string) (Lease, error) {
	return nil, fmt.Errorf("an exclusive lock: %w", errors.ErrUnsupported)
}
