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

// The number of waiters in the fair check, and the least time between two of them if the queue
// cannot be observed. Each must join the queue within that time, even on a busy machine.
const (
	queuers  = 4
	queueGap = 150 * time.Millisecond
)

// fair checks that waiters get the lock in the order in which they came.
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
	// A lease that is not renewed may be over by now; its end has then let the first waiter in.
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

// inLine waits until the given number of clients have come for the lock, including its holder. If
// the queue cannot be observed, it waits for gap.
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
