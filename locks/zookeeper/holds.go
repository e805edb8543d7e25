package zookeeper

import (
	"context"
	"fmt"
	"sync"

	"locktorture/locks"
)

// A holds makes a lock reentrant: it counts the client's entries into each lock.
type holds struct {
	mu     sync.Mutex
	byName map[string]*hold
}

// A hold is a lock that the client holds, or is about to hold.
type hold struct {
	// known is closed when the result of the acquire is known.
	known chan struct{}
	// grant is nil if the lock was not acquired.
	grant *grant
	// count is the number of leases.
	count int
}

func newHolds() *holds { return &holds{byName: map[string]*hold{}} }

// enter returns a further lease of a lock that the client holds, or acquires the lock. Concurrent
// callers for the same lock wait for the first of them.
func (h *holds) enter(ctx context.Context, name string, acquire func() (*grant, error)) (locks.Lease, error) {
	for {
		held, lease, mine := h.claim(name)
		switch {
		case lease != nil:
			there, err := held.grant.confirm(ctx)
			if there {
				return lease, nil
			}
			_ = lease.Release(context.WithoutCancel(ctx)) // gives the count back
			if err != nil {
				return nil, fmt.Errorf("%w: enter again: %w", locks.ErrNotAcquired, err)
			}
			continue
		case mine:
			return h.fill(name, held, acquire)
		}
		select {
		case <-held.known:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
	}
}

// claim returns a lease if the client holds the lock. Otherwise it returns the hold that a caller
// is about to fill; mine reports whether that is this caller.
func (h *holds) claim(name string) (held *hold, l locks.Lease, mine bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held = h.byName[name]
	if held != nil && held.grant != nil && !held.grant.Over() {
		held.count++
		return held, h.lease(name, held), false
	}
	if held != nil && held.grant == nil {
		return held, nil, false
	}
	held = &hold{known: make(chan struct{})}
	h.byName[name] = held
	return held, nil, true
}

// fill acquires the lock and notifies the callers that wait for it.
func (h *holds) fill(name string, held *hold, acquire func() (*grant, error)) (locks.Lease, error) {
	g, err := acquire()
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(held.known)
	if err != nil {
		delete(h.byName, name)
		return nil, err
	}
	held.grant, held.count = g, 1
	return h.lease(name, held), nil
}

// lease returns a lease whose release decrements the count. The caller holds h.mu.
func (h *holds) lease(name string, held *hold) *lease {
	done := false
	return &lease{grant: held.grant, end: func(ctx context.Context) error {
		h.mu.Lock()
		if done {
			h.mu.Unlock()
			return locks.ErrNotHeld
		}
		done = true
		held.count--
		last := held.count == 0
		if last && h.byName[name] == held {
			delete(h.byName, name)
		}
		h.mu.Unlock()
		switch {
		case last:
			return held.grant.release(ctx)
		case held.grant.Over():
			return locks.ErrNotHeld
		}
		return nil
	}}
}
