package locks

import (
	"context"
	"errors"
	"fmt"
)

// The kinds of what a backend offers (Traits.Kind). The zero value is the exclusive lock.
const (
	Exclusive = ""          // one holder
	ReadWrite = "rw"        // one writer or many readers; Acquire is the writer's
	Semaphore = "semaphore" // permits, of which several clients hold some

	CountDownLatch = "latch"   // its clients are a Latch each
	DoubleBarrier  = "barrier" // its clients are a Barrier each
)

// A Sharer is a client of a read–write lock. Its Acquire takes the lock as a writer does.
type Sharer interface {
	// AcquireShared waits until it holds the lock beside other readers; errors as of Acquire.
	AcquireShared(ctx context.Context, name string) (Lease, error)
}

// A Permitter is a client of a semaphore.
type Permitter interface {
	// AcquirePermits waits until it has n permits of a semaphore with so many in all, together or
	// not at all; errors as of Acquire. All clients of a name give the same capacity.
	AcquirePermits(ctx context.Context, name string, n, capacity int) (Lease, error)
}

// A Claim says what a client asks for. The zero value is the whole lock.
type Claim struct {
	Shared   bool // beside other readers
	Permits  int  // of a semaphore; 0: it is none
	Capacity int  // permits of the semaphore in all
	Parties  int  // of the barrier that is entered; 0: it is none
}

// Take waits for what is claimed. A lock that has no such thing answers with errors.ErrUnsupported, and nothing was done.
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
	}
	return l.Acquire(ctx, name)
}

// NotExclusive is embedded by what is no exclusive lock: it has nothing that one client holds alone.
type NotExclusive struct{}

// Acquire answers errors.ErrUnsupported; nothing was done.
func (NotExclusive) Acquire(context.Context, string) (Lease, error) {
	return nil, fmt.Errorf("an exclusive lock: %w", errors.ErrUnsupported)
}
