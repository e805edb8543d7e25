package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// upgrade checks that a reader becomes the writer once it is alone, with no other writer in
// between, that one of two upgrades is refused, and that a writer becomes a reader again, beside
// others.
func upgrade(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 3); err != nil {
		return err
	}
	shared := locks.Claim{Shared: true}
	first, err := b.take(ctx, 1, shared)
	if err != nil {
		return fmt.Errorf("a reader: %w", err)
	}
	if err := b.change(ctx, first, true); err != nil {
		return fmt.Errorf("the only reader became no writer: %w", err)
	}
	if err := b.refused(ctx, 2, shared, "a reader beside one that had become the writer"); err != nil {
		return err
	}
	if err := b.change(ctx, first, false); err != nil {
		return fmt.Errorf("a writer became no reader: %w", err)
	}
	second, err := b.take(ctx, 2, shared)
	if err != nil {
		return fmt.Errorf("a reader beside one that had been the writer: %w", err)
	}
	if err := b.refused(ctx, 3, locks.Claim{}, "a writer beside two readers, of which one had been the writer"); err != nil {
		return err
	}
	if err := b.upgradeInVain(ctx, first); err != nil {
		return err
	}
	return b.twoUpgrades(ctx, first, second)
}

// upgradeInVain checks that a reader whose upgrade times out is still a reader.
func (b *fixture) upgradeInVain(ctx context.Context, l locks.Lease) error {
	_, _, err := b.inVain(ctx, shortly, func(ctx context.Context) error {
		err := b.change(ctx, l, true)
		if err != nil && !errors.Is(err, locks.ErrNotAcquired) {
			return fmt.Errorf("upgrade of a reader beside another: %w, %w", err, errNotKnown)
		} else if err == nil {
			return errors.New("a reader beside another became the writer")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.refused(ctx, 3, locks.Claim{}, "a writer beside a reader that had wanted to be one")
}

// twoUpgrades checks that one of two upgrading readers is refused, and that the other becomes the
// writer once the first has left.
func (b *fixture) twoUpgrades(ctx context.Context, first, second locks.Lease) error {
	type end struct {
		l   locks.Lease
		err error
	}
	ends := make(chan end, 2)
	for _, l := range []locks.Lease{first, second} {
		go func() { ends <- end{l, b.change(ctx, l, true)} }()
	}
	select {
	case e := <-ends:
		if !errors.Is(e.err, locks.ErrNotAcquired) {
			return fmt.Errorf("one of two readers that want to be the writer: %v, want ErrNotAcquired", e.err)
		}
		if err := e.l.Release(ctx); err != nil {
			return fmt.Errorf("release of the one that was refused: %w", err)
		}
		other := <-ends
		if other.err != nil {
			return fmt.Errorf("the other of the two, alone now: %w", other.err)
		}
		return other.l.Release(ctx)
	case <-time.After(b.limit() / 4):
		return errors.New("two readers that want to be the writer wait for each other")
	}
}

// change upgrades a reader's lease or downgrades a writer's.
func (b *fixture) change(ctx context.Context, l locks.Lease, up bool) error {
	if u, ok := l.(locks.Upgrader); ok && up {
		return u.Upgrade(ctx)
	}
	if d, ok := l.(locks.Downgrader); ok && !up {
		return d.Downgrade(ctx)
	}
	return errors.ErrUnsupported
}
