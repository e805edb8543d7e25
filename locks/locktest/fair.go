package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"locktorture/locks"
)

// The fair check: this many waiters, and the least time from one to the next where nobody sees the
// queue, in which each must get into it also on a busy machine.
const (
	queuers  = 4
	queueGap = 150 * time.Millisecond
)

// fair: waiters get the lock in the order in which they came.
func fair(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 1+queuers); err != nil {
		return err
	}
	begun := time.Now()
	holder, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	gap := max(queueGap, 2*time.Since(begun)) // some locks connect with their first request
	var mu sync.Mutex
	var want, got []int
	errs := make([]error, queuers)
	var wg sync.WaitGroup
	for i := range queuers {
		n := 2 + i
		want = append(want, n)
		wg.Go(func() {
			l, err := b.clients[n].Acquire(ctx, b.name)
			if err != nil {
				errs[i] = fmt.Errorf("client %d: acquire: %w", n, err)
				return
			}
			mu.Lock()
			got = append(got, n)
			mu.Unlock()
			errs[i] = l.Release(ctx)
		})
		if err := b.inLine(ctx, 2+i, gap); err != nil {
			return err
		}
	}
	// A lease that is not renewed may be over by now: then its end has let the first in.
	if err := holder.Release(ctx); err != nil && !errors.Is(err, locks.ErrNotHeld) {
		errs = append(errs, fmt.Errorf("release: %w", err))
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("clients that came in the order %v were granted the lock in the order %v", want, got)
	}
	return nil
}

// inLine waits until so many clients have come for the lock, its holder among them, or for the gap
// where nobody sees them.
func (b *fixture) inLine(ctx context.Context, n int, gap time.Duration) error {
	if b.Queued == nil {
		time.Sleep(gap)
		return nil
	}
	for {
		came, err := b.Queued(ctx, b.name)
		switch {
		case err != nil:
			return fmt.Errorf("look at the queue: %w", err)
		case came >= n:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%d clients have come for the lock, want %d: %w", came, n, ctx.Err())
		}
		time.Sleep(5 * time.Millisecond)
	}
}
