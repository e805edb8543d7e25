package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// busy is what a busy machine may add to a time that a lock promises.
const busy = 2 * time.Second

// crash: the lock of a client that dropped its connections is free again within
// the time that it declares.
func crash(ctx context.Context, b *fixture) error {
	if _, err := b.acquire(ctx, 1); err != nil {
		return err
	}
	if _, err := b.client(ctx, 2); err != nil {
		return err
	}
	if err := b.clients[1].Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	delete(b.clients, 1)
	free := b.Traits.FreeWithin(b.TTL)
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, free+busy)
	defer cancel()
	l, err := b.clients[2].Acquire(ctx, b.name)
	if err != nil {
		return fmt.Errorf("%v after a crash, %v were promised: %w", time.Since(start), free, err)
	}
	return l.Release(ctx)
}

// reconnect: an acquire over a dead network is not a grant and no certain refusal of
// what may yet happen; after the network healed the client works again.
func reconnect(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1) // so that there is a connection to lose
	if err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := b.Cut(1); err != nil {
		return fmt.Errorf("cut: %w", err)
	}
	cctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	_, err = b.clients[1].Acquire(cctx, b.name)
	cancel()
	healErr := b.Heal(1)
	switch {
	case err == nil:
		return errors.New("a lock was granted over a cut link")
	case healErr != nil:
		return fmt.Errorf("heal: %w", healErr)
	case errors.Is(err, locks.ErrNotAcquired):
		// It claims that nothing was left behind.
		if l, err = b.soon(ctx, 2); err != nil {
			return fmt.Errorf("an acquire over a cut link was certain and yet left something behind: %w", err)
		}
		if err := l.Release(ctx); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	// What a cut left broken may cost a few calls, each of which must end.
	for {
		actx, cancel := context.WithTimeout(ctx, b.TTL)
		l, err = b.clients[1].Acquire(actx, b.name)
		cancel()
		if err == nil {
			return l.Release(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the client never recovered from a cut: %w", err)
		}
	}
}
