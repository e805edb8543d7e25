package control

import (
	"context"
	"fmt"
	"sync"

	"locktorture/locks"
)

// A ProcessLocal is a mutex in the memory of the client's own process, like Java's
// "synchronized" in a service that runs on several machines.
//
// Algorithm: one semaphore for each name, shared by the goroutines of one process only. Source:
// a common mistake behind load balancers. Clock: none. It does not exclude clients in other
// processes, so a run must find it unsafe without any fault. A paused holder keeps the lock.
// Close keeps it too, which only affects this process.
type ProcessLocal struct {
	owner string

	mu    sync.Mutex
	names map[string]chan struct{}
	last  uint64
}

var (
	_ locks.Locker = (*ProcessLocal)(nil)
	_ locks.Trier  = (*ProcessLocal)(nil)
)

// NewProcessLocal returns the mutex of a process. Its owner values begin with owner.
func NewProcessLocal(owner string) *ProcessLocal {
	return &ProcessLocal{owner: owner, names: map[string]chan struct{}{}}
}

// ProcessLocalTraits returns the traits of a mutex, which it is only within one process.
func ProcessLocalTraits() locks.Traits {
	return locks.Traits{Wait: "queue", Fair: true, Model: "mutex", Clock: "none"}
}

// semaphore returns the semaphore of a name, which lives as long as the process.
func (p *ProcessLocal) semaphore(name string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.names[name]
	if c == nil {
		c = make(chan struct{}, 1)
		p.names[name] = c
	}
	return c
}

// grant numbers a grant, so that owner values are unique within the process.
func (p *ProcessLocal) grant(c chan struct{}) locks.Lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return &processLocalLease{noneLease{owner: fmt.Sprintf("%s:%d", p.owner, p.last)}, c}
}

// Acquire waits until no other goroutine of this process holds the lock.
func (p *ProcessLocal) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	c := p.semaphore(name)
	select {
	case c <- struct{}{}:
		return p.grant(c), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
	}
}

// TryAcquire asks without waiting.
func (p *ProcessLocal) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	c := p.semaphore(name)
	select {
	case c <- struct{}{}:
		return p.grant(c), nil
	default:
		return nil, fmt.Errorf("%w: held in this process", locks.ErrNotAcquired)
	}
}

// Close does nothing.
func (p *ProcessLocal) Close() error { return nil }

// A processLocalLease is the one token of a semaphore.
type processLocalLease struct {
	noneLease
	semaphore chan struct{}
}

// Release ends the lease, once.
func (l *processLocalLease) Release(ctx context.Context) error {
	if err := l.noneLease.Release(ctx); err != nil {
		return err
	}
	<-l.semaphore
	return nil
}
