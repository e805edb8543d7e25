package locktest

import (
	"context"
	"fmt"
	"slices"

	"locktorture/locks"
)

// listed reports whether several clients can hold the lock, so that its prober lists them.
func listed(t locks.Traits) bool {
	return t.Kind == locks.ReadWrite || t.Kind == locks.Semaphore && !t.Single
}

// holds checks that the servers list each holder under the owner value of its lease, with its mode
// and permits, for as long as it holds the lock.
func holds(ctx context.Context, b *fixture) error {
	first, second := locks.Claim{Shared: true}, locks.Claim{Shared: true}
	if b.Traits.Kind == locks.Semaphore {
		first, second = locks.Claim{Permits: 2, Capacity: 3}, locks.Claim{Permits: 1, Capacity: 3}
	}
	if err := b.lists(ctx); err != nil {
		return fmt.Errorf("before any grant: %w", err)
	}
	one, err := b.take(ctx, 1, first)
	if err != nil {
		return err
	}
	two, err := b.take(ctx, 2, second)
	if err != nil {
		return err
	}
	if err := b.lists(ctx, heldBy(one, first), heldBy(two, second)); err != nil {
		return fmt.Errorf("two holders: %w", err)
	}
	if err := one.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := b.lists(ctx, heldBy(two, second)); err != nil {
		return fmt.Errorf("after the release of one: %w", err)
	}
	if err := two.Release(ctx); err != nil || b.Traits.Kind == locks.Semaphore {
		return err
	}
	writer, err := b.take(ctx, 1, locks.Claim{})
	if err != nil {
		return err
	}
	if err := b.lists(ctx, heldBy(writer, locks.Claim{})); err != nil {
		return fmt.Errorf("a writer: %w", err)
	}
	return writer.Release(ctx)
}

// heldBy returns the expected hold of a lease, without its end.
func heldBy(l locks.Lease, c locks.Claim) locks.Hold {
	h := locks.Hold{Shared: c.Shared, Permits: c.Permits}
	if o, ok := l.(locks.Owned); ok {
		h.Owner = o.Owner()
	}
	return h
}

// lists returns an error unless every node lists exactly these holds.
func (b *fixture) lists(ctx context.Context, want ...locks.Hold) error {
	sights, err := b.sights(ctx)
	if err != nil {
		return err
	}
	for _, s := range sights {
		got := slices.Clone(s.Holds)
		for i, h := range got {
			if h.Left == 0 {
				return fmt.Errorf("%s lists a hold that has expired: %+v", s.Node, h)
			}
			got[i].Left = 0
		}
		same := len(got) == len(want) && !slices.ContainsFunc(want, func(h locks.Hold) bool { return !slices.Contains(got, h) })
		if !same || s.Holds == nil {
			return fmt.Errorf("%s lists %+v, want %+v", s.Node, s.Holds, want)
		}
	}
	if len(sights) == 0 {
		return fmt.Errorf("no node answered")
	}
	return nil
}
