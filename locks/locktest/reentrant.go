package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// depth is the number of entries in the reentrant check.
const depth = 3

// reentrant checks that the holder can enter the lock again, that the lock is free after as many
// releases and not before, and that a second release of one entry does not count.
func reentrant(ctx context.Context, b *fixture) error {
	var entries []locks.Lease
	for i := range depth {
		l, err := b.soon(ctx, 1)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
		entries = append(entries, l)
	}
	if err := sameToken(b, entries); err != nil {
		return err
	}
	for i, l := range entries[:depth-1] {
		if err := l.Release(ctx); err != nil {
			return fmt.Errorf("release %d of %d: %w", i+1, depth, err)
		}
		if err := expectNotHeld(fmt.Sprintf("second release of entry %d", i+1), l.Release(ctx)); err != nil {
			return err
		}
		if _, _, err := b.held(ctx, 2, 50*time.Millisecond); err != nil {
			return fmt.Errorf("after release %d of %d: %w", i+1, depth, err)
		}
	}
	if err := entries[depth-1].Release(ctx); err != nil {
		return fmt.Errorf("last release: %w", err)
	}
	next, err := b.soon(ctx, 2)
	if err != nil {
		return fmt.Errorf("after the last release: %w", err)
	}
	return next.Release(ctx)
}

// sameToken checks that an entry has the token of its grant.
func sameToken(b *fixture, entries []locks.Lease) error {
	if !b.Traits.Token {
		return nil
	}
	first, err := token(entries[0])
	if err != nil {
		return err
	}
	for _, l := range entries[1:] {
		if t, err := token(l); err != nil || t != first {
			return errors.Join(err, fmt.Errorf("an entry has token %d, the grant had %d", t, first))
		}
	}
	return nil
}
