package locks

import (
	"context"
	"errors"
	"fmt"
)

// A Sharer is a client of a read–write lock. Its Acquire takes the lock as a writer does.
type Sharer interface {
	// AcquireShared waits until it holds the lock beside other readers; errors as of Acquire.
	AcquireShared(ctx context.Context, name string) (Lease, error)
}

// A Permitter is a client of a semaphore.
type Permitter interface {
	// AcquirePermits waits until it has n permits of a semaphore with so many in all, together
	// or not at all; errors as of Acquire, and errors.ErrUnsupported for more than one where
	// the semaphore gives them singly. All clients of a name give the same capacity.
	AcquirePermits(ctx context.Context, name string, n, capacity int) (Lease, error)
}

// An Elector is a candidate of an election.
type Elector interface {
	// Campaign waits until this client is the leader, under a value that is not empty; errors
	// as of Acquire. The Token of the lease is the term, which grows from leader to leader.
	// Release resigns.
	Campaign(ctx context.Context, name, value string) (Lease, error)
}

// An Observer can ask who leads.
type Observer interface {
	// Leader returns the value and the term of the present leader: "" and 0 if nobody leads.
	// The term is 0 where the election has none. An error says nothing of who leads.
	Leader(ctx context.Context, name string) (value string, term uint64, err error)
}

// An Upgrader is the Lease of a reader that can become the writer's.
type Upgrader interface {
	// Upgrade waits until there is no other reader, and has the lock as a writer then; nobody
	// else had it as one in between. An error that wraps ErrNotAcquired is a refusal: the
	// lease is the reader's that it was, which is so where another upgrade waits already,
	// because two would wait for each other. One that wraps ErrNotHeld says that the lease had
	// ended. Any other leaves open what it is.
	Upgrade(ctx context.Context) error
}

// A Downgrader is the Lease of a writer that can become a reader's.
type Downgrader interface {
	// Downgrade has the lock as a reader; nobody else had it as a writer in between. Errors as
	// of Upgrade.
	Downgrade(ctx context.Context) error
}

// A Claim says what a client asks for. The zero value is the whole lock.
type Claim struct {
	Shared   bool   // beside other readers
	Permits  int    // of a semaphore; 0: it is none
	Capacity int    // permits of the semaphore in all
	Value    string // with which it campaigns; "": it is no election
	Parties  int    // of the barrier that is entered; 0: it is none
}

// Take waits for what is claimed. A lock that has no such thing answers with
// errors.ErrUnsupported, and nothing was done.
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

// Leader asks who leads; errors.ErrUnsupported where nobody can ask.
func Leader(ctx context.Context, l Locker, name string) (value string, term uint64, err error) {
	if o, ok := l.(Observer); ok {
		return o.Leader(ctx, name)
	}
	return "", 0, fmt.Errorf("an observer: %w", errors.ErrUnsupported)
}

// NotExclusive is embedded by what is no exclusive lock: it has nothing that one client holds
// alone.
type NotExclusive struct{}

// Acquire answers errors.ErrUnsupported; nothing was done.
func (NotExclusive) Acquire(context.Context, string) (Lease, error) {
	return nil, fmt.Errorf("an exclusive lock: %w", errors.ErrUnsupported)
}
