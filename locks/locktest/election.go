package locktest

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

// election checks that there is one leader at a time, with a greater term than the one before, that
// all observers see it, and that a candidate that resigned or stopped waiting no longer leads.
func election(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 2); err != nil {
		return err
	}
	if err := b.led(ctx, "", 0, "before anybody campaigned"); err != nil {
		return err
	}
	first, a, err := b.campaign(ctx, 1, "a")
	if err != nil {
		return err
	}
	if err := b.led(ctx, "a", a, "when a was the leader"); err != nil {
		return err
	}
	if err := b.refused(ctx, 2, locks.Claim{Value: "b"}, "a second leader"); err != nil {
		return err
	}
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("resignation of a: %w", err)
	}
	if err := b.led(ctx, "", 0, "when a had resigned, and b had timed out before"); err != nil {
		return err
	}
	second, term, err := b.campaign(ctx, 2, "b")
	if err != nil {
		return err
	}
	if b.Traits.Token && term <= a {
		return fmt.Errorf("term %d of b after term %d of a", term, a)
	}
	if err := first.Release(ctx); !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("a second resignation of a: %w, want ErrNotHeld", err)
	}
	if err := b.led(ctx, "b", term, "when b was the leader, and a had resigned twice"); err != nil {
		return err
	}
	return second.Release(ctx)
}

// campaign makes a client the leader and returns its term.
func (b *fixture) campaign(ctx context.Context, client int, value string) (locks.Lease, uint64, error) {
	l, err := b.take(ctx, client, locks.Claim{Value: value})
	if err != nil {
		return nil, 0, fmt.Errorf("campaign of %s: %w", value, err)
	}
	if !b.Traits.Token {
		return l, 0, nil
	}
	term, err := token(l)
	return l, term, err
}

// led checks that two observers see the leader and, if there are terms, its term.
func (b *fixture) led(ctx context.Context, value string, term uint64, when string) error {
	if !b.Traits.Observed {
		return nil
	}
	for client := 1; client <= 2; client++ {
		l, err := b.client(ctx, client)
		if err != nil {
			return err
		}
		if o, ok := l.(only); ok {
			l = o.Locker
		}
		got, n, err := locks.Leader(ctx, l, b.name)
		if err != nil {
			return fmt.Errorf("client %d asks who leads %s: %w", client, when, err)
		}
		if got != value || n != term {
			return fmt.Errorf("client %d sees the leader %q of term %d %s, want %q of term %d", client, got, n, when, value, term)
		}
	}
	return nil
}
