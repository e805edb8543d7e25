package locktest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// The number of clients in the exclusion check, and the sections of each.
const (
	crowd    = 8
	sections = 12
)

// exclusion checks that two of eight clients are never inside together, and that all get their
// turns.
func exclusion(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, crowd); err != nil {
		return err
	}
	var inside atomic.Int32
	var overlaps atomic.Int32
	errs := make([]error, crowd)
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			for range sections {
				l, err := b.clients[i+1].Acquire(ctx, b.name)
				if err != nil {
					errs[i] = fmt.Errorf("client %d: acquire: %w", i+1, err)
					return
				}
				if inside.Add(1) > 1 {
					overlaps.Add(1)
				}
				time.Sleep(time.Millisecond) // the work of the section
				inside.Add(-1)
				if err := l.Release(ctx); err != nil {
					errs[i] = fmt.Errorf("client %d: release: %w", i+1, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if n := overlaps.Load(); n > 0 {
		return fmt.Errorf("%d of %d grants came while another client was inside", n, crowd*sections)
	}
	return errors.Join(errs...)
}

// tryAcquire checks that a try of a held lock is refused, and of a free one granted, without
// waiting.
func tryAcquire(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	c, err := b.client(ctx, 2)
	if err != nil {
		return err
	}
	t, ok := c.(locks.Trier)
	if !ok {
		return nil // an optional capability
	}
	switch other, err := t.TryAcquire(ctx, b.name); {
	case err == nil:
		_ = other.Release(ctx)
		return errors.New("a held lock was granted to a second client")
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case !errors.Is(err, locks.ErrNotAcquired):
		return fmt.Errorf("try of a held lock: %w, want ErrNotAcquired", err)
	}
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if l, err = t.TryAcquire(ctx, b.name); err != nil {
		return fmt.Errorf("try of a free lock: %w", err)
	}
	return l.Release(ctx)
}

// deadline checks that a waiter ends at its deadline, not before and not long after, and that its
// error is a certain refusal.
func deadline(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	const wait = 150 * time.Millisecond
	if _, err := b.client(ctx, 2); err != nil {
		return err
	}
	took, waited, err := b.held(ctx, 2, wait)
	if err != nil {
		return err
	}
	if took < waited || took > waited+busy {
		return fmt.Errorf("a waiter with %v to wait timed out after %v", waited, took)
	}
	return l.Release(ctx)
}

// handOver checks that a waiter gets the lock once it is released, and not before.
func handOver(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	if _, err := b.client(ctx, 2); err != nil {
		return err
	}
	var released atomic.Bool
	begun, got := make(chan struct{}), make(chan error, 1)
	go func() {
		close(begun)
		l, err := b.clients[2].Acquire(ctx, b.name)
		if err == nil && !released.Load() {
			err = errors.New("a waiter got the lock before its release")
		}
		if err == nil {
			err = l.Release(ctx)
		}
		got <- err
	}()
	<-begun
	time.Sleep(100 * time.Millisecond) // lets the waiter start to wait; a correct lock does not depend on it
	released.Store(true)
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return <-got
}

// cancelled checks that an acquire that is cancelled at any moment either certainly did not acquire
// and leaves nothing behind, or reports an unknown outcome.
func cancelled(ctx context.Context, b *fixture) error {
	for i := range 10 {
		l, err := b.acquire(ctx, 1)
		if err != nil {
			return err
		}
		if _, err := b.client(ctx, 2); err != nil {
			return err
		}
		cctx, cancel := context.WithTimeout(ctx, time.Duration(i)*3*time.Millisecond)
		other, err := b.clients[2].Acquire(cctx, b.name)
		cancel()
		if err == nil {
			_ = other.Release(ctx)
			return errors.New("a second client got a held lock")
		}
		if rerr := l.Release(ctx); rerr != nil {
			return fmt.Errorf("release: %w", rerr)
		}
		if !errors.Is(err, locks.ErrNotAcquired) {
			continue // the outcome is unknown, as reported; the next round waits for anything left behind
		}
		free, err := b.soon(ctx, 3)
		if err != nil {
			return fmt.Errorf("a cancelled acquire was certain and yet left something behind: %w", err)
		}
		if err := free.Release(ctx); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	return nil
}
