package driver

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

var (
	_ locks.Latch   = (*Client)(nil)
	_ locks.Barrier = (*Client)(nil)
)

// SetCount creates a latch through the child. Without an answer the outcome is unknown, as in
// Acquire.
func (c *Client) SetCount(ctx context.Context, name string, count int) error {
	return c.do(ctx, request{Op: opSetCount, Lock: name, Parties: count})
}

// CountDown counts a party down through the child, and otherwise works like SetCount.
func (c *Client) CountDown(ctx context.Context, name, party string) error {
	return c.do(ctx, request{Op: opCountDown, Lock: name, Party: party})
}

// Await waits in the child until a latch is open.
func (c *Client) Await(ctx context.Context, name string) error {
	return c.do(ctx, request{Op: opAwait, Lock: name})
}

// Enter enters a barrier in the child, and otherwise works like Acquire.
func (c *Client) Enter(ctx context.Context, name string, parties int) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name, Mode: modeParty, Parties: parties})
}

// do sends a request that grants nothing.
func (c *Client) do(ctx context.Context, q request) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	return c.calls.make(ctx, q).error()
}

// latch carries out a request on a latch.
func (s *server) latch(ctx context.Context, q request) error {
	s.mu.Lock()
	locker := s.locker
	s.mu.Unlock()
	if locker == nil {
		return errNotOpen
	}
	l, ok := locker.(locks.Latch)
	switch {
	case !ok:
		return fmt.Errorf("a latch: %w", errors.ErrUnsupported)
	case q.Op == opCountDown:
		return l.CountDown(ctx, q.Lock, q.Party)
	case q.Op == opAwait:
		return l.Await(ctx, q.Lock)
	case q.Parties < 1:
		return fmt.Errorf("%w: a latch for %d parties", locks.ErrNotAcquired, q.Parties)
	}
	return l.SetCount(ctx, q.Lock, q.Parties)
}
