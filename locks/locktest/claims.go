package locktest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// An only uses another kind of lock as an exclusive one by claiming the whole of it: a semaphore
// with one permit, or the leadership. It must pass the checks of every exclusive lock.
type only struct {
	locks.Locker
	whole locks.Claim
}

// Acquire claims the whole lock. A candidate campaigns with a new value each time, because the
// value may be its owner value.
func (o only) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	whole := o.whole
	if whole.Value != "" {
		whole.Value += rand.Text()
	}
	return locks.Take(ctx, o.Locker, name, whole)
}

// asLock returns an exclusive lock on top of a client of the given kind.
func asLock(kind string, l locks.Locker) locks.Locker {
	if k, _ := locks.KindOf(kind); k.Whole != (locks.Claim{}) {
		return only{l, k.Whole}
	}
	return l
}

// readers checks that readers hold the lock together, and that a writer neither enters beside a
// reader nor before the last one has released.
func readers(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 3); err != nil {
		return err
	}
	shared := locks.Claim{Shared: true}
	first, err := b.take(ctx, 1, shared)
	if err != nil {
		return fmt.Errorf("a reader: %w", err)
	}
	second, err := b.take(ctx, 2, shared)
	if err != nil {
		return fmt.Errorf("a reader beside a reader: %w", err)
	}
	if err := b.refused(ctx, 3, locks.Claim{}, "a writer beside two readers"); err != nil {
		return err
	}
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("release of the first reader: %w", err)
	}
	if err := b.refused(ctx, 3, locks.Claim{}, "a writer beside the second reader, after the first had released"); err != nil {
		return err
	}
	if err := second.Release(ctx); err != nil {
		return fmt.Errorf("release of the second reader: %w", err)
	}
	writer, err := b.take(ctx, 3, locks.Claim{})
	if err != nil {
		return fmt.Errorf("a writer after the readers: %w", err)
	}
	if err := b.refused(ctx, 1, shared, "a reader beside a writer"); err != nil {
		return err
	}
	if err := writer.Release(ctx); err != nil {
		return fmt.Errorf("release of the writer: %w", err)
	}
	last, err := b.take(ctx, 1, shared)
	if err != nil {
		return fmt.Errorf("a reader after the writer: %w", err)
	}
	return last.Release(ctx)
}

// permits checks that there are as many permits as the capacity, that several are granted together
// or not at all, and that a released permit adds exactly one. A request without a known outcome may
// have left a permit behind, so the check then starts again: on another lock, with more patience.
func permits(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 3); err != nil {
		return err
	}
	check := permitsTogether
	if b.Traits.Single {
		check = permitsOneByOne
	}
	for wait := shortly; ; wait *= 2 {
		next := *b
		next.name, next.wait = b.name+"-"+wait.String(), wait
		if err := check(ctx, &next); !errors.Is(err, errNotKnown) || 2*wait > b.longest(wait) {
			return err
		}
	}
}

func permitsTogether(ctx context.Context, b *fixture) error {
	one, two := locks.Claim{Permits: 1, Capacity: 3}, locks.Claim{Permits: 2, Capacity: 3}
	first, err := b.take(ctx, 1, two)
	if err != nil {
		return fmt.Errorf("two of three permits: %w", err)
	}
	if err := b.refused(ctx, 2, two, "two more of three"); err != nil {
		return err
	}
	second, err := b.take(ctx, 3, one)
	if err != nil {
		return fmt.Errorf("the third, after two were refused (had they kept one?): %w", err)
	}
	if err := b.refused(ctx, 2, one, "a fourth of three"); err != nil {
		return err
	}
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("release of two: %w", err)
	}
	third, err := b.take(ctx, 2, two)
	if err != nil {
		return fmt.Errorf("two, after two were given back: %w", err)
	}
	if err := first.Release(ctx); !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("a second release of the first two: %w, want ErrNotHeld", err)
	}
	if err := b.refused(ctx, 1, one, "a fourth of three, after a second release"); err != nil {
		return err
	}
	return errors.Join(second.Release(ctx), third.Release(ctx))
}

// permitsOneByOne checks a lock that grants one permit at a time.
func permitsOneByOne(ctx context.Context, b *fixture) error {
	one := locks.Claim{Permits: 1, Capacity: 2}
	if _, err := b.take(ctx, 1, locks.Claim{Permits: 2, Capacity: 2}); !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("two permits at a time: %w, want ErrUnsupported", err)
	}
	first, err := b.take(ctx, 1, one)
	if err != nil {
		return fmt.Errorf("the first of two permits: %w", err)
	}
	second, err := b.take(ctx, 2, one)
	if err != nil {
		return fmt.Errorf("the second of two permits: %w", err)
	}
	if err := b.refused(ctx, 3, one, "a third of two"); err != nil {
		return err
	}
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("release of the first: %w", err)
	}
	third, err := b.take(ctx, 3, one)
	if err != nil {
		return fmt.Errorf("one, after one was given back: %w", err)
	}
	if err := first.Release(ctx); !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("a second release of the first: %w, want ErrNotHeld", err)
	}
	if err := b.refused(ctx, 1, one, "a third of two, after a second release"); err != nil {
		return err
	}
	return errors.Join(second.Release(ctx), third.Release(ctx))
}

// take acquires the claim within the limit of the check.
func (b *fixture) take(ctx context.Context, client int, c locks.Claim) (locks.Lease, error) {
	l, err := b.client(ctx, client)
	if err != nil {
		return nil, err
	}
	if o, ok := l.(only); ok {
		l = o.Locker
	}
	ctx, cancel := context.WithTimeout(ctx, b.limit())
	defer cancel()
	return locks.Take(ctx, l, b.name, c)
}

// refused checks that a claim is not granted.
func (b *fixture) refused(ctx context.Context, client int, c locks.Claim, what string) error {
	// A client in a process of its own takes a while to start.
	if _, err := b.client(ctx, client); err != nil {
		return err
	}
	ask := func(ctx context.Context) error {
		l, err := b.take(ctx, client, c)
		return turnedAway(ctx, l, err, what)
	}
	if b.wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, b.wait)
		defer cancel()
		return ask(ctx)
	}
	_, _, err := b.inVain(ctx, shortly, ask)
	return err
}

// shortly is the time for which a client asks for something that others hold.
const shortly = 150 * time.Millisecond
