package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/locks"
)

// slow is the delay of each message in the until check. It makes a validity that is counted from
// the reply wrong by more than any clock's resolution.
const slow = 40 * time.Millisecond

// resolution is the largest error of a server's answer about an expiry.
const resolution = 2 * time.Millisecond

// until checks that the lock is not free before the end of its holder's validity, neither by the
// servers' own account nor for another client.
func until(ctx context.Context, b *fixture) error {
	if _, err := b.client(ctx, 2); err != nil {
		return err
	}
	if b.Slow != nil && b.Heal != nil {
		// The client connects first, because the handshake with a cluster crosses the slow link so
		// often that little would be left of a request's time.
		first, err := b.acquire(ctx, 1)
		if err != nil {
			return err
		}
		if err := first.Release(ctx); err != nil {
			return fmt.Errorf("release: %w", err)
		}
		if err := b.Slow(1, slow); err != nil {
			return err
		}
		defer func() { _ = b.Heal(1) }()
	}
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	end, err := validity(ctx, l)
	if err != nil {
		return err
	}
	if left := time.Until(end); left <= 0 || left > b.TTL {
		return fmt.Errorf("a fresh lease of TTL %v is valid for %v", b.TTL, left)
	}
	if b.Prober != nil {
		if err := b.outlives(ctx, end); err != nil {
			return err
		}
	}
	if !b.expires() {
		return l.Release(ctx)
	}
	wait, cancel := b.freed(ctx)
	defer cancel()
	next, err := b.clients[2].Acquire(wait, b.name)
	got := time.Now()
	if err != nil {
		return fmt.Errorf("acquire after an expiry: %w", err)
	}
	if early := end.Sub(got); early > 0 {
		return fmt.Errorf("another client got the lock %v before the end of the validity", early)
	}
	if err := expectNotHeld("release of an expired lease", l.Release(ctx)); err != nil {
		return err
	}
	return next.Release(ctx)
}

// freed returns a context that ends when the lock of an ended lease must have become free.
func (b *fixture) freed(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.Traits.FreeWithin == nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, b.Traits.FreeWithin(b.TTL)+busy)
}

// outlives checks that a quorum of nodes keeps the lock up to end.
func (b *fixture) outlives(ctx context.Context, end time.Time) error {
	sights, err := b.sights(ctx)
	if err != nil {
		return err
	}
	latest := time.Now() // the servers computed the remaining time earlier
	var left []time.Duration
	for _, s := range sights {
		if s.Owner != "" {
			left = append(left, s.Left)
		}
		for _, h := range s.Holds {
			left = append(left, h.Left)
		}
	}
	slices.Sort(left)
	slices.Reverse(left)
	q := max(1, b.Quorum)
	if len(left) < q {
		return fmt.Errorf("%d nodes have the lock of a valid lease, want %d", len(left), q)
	}
	if left[q-1] < 0 {
		return nil // the lock does not expire
	}
	if over := end.Sub(latest.Add(left[q-1] + resolution)); over > 0 {
		return fmt.Errorf("validity ends %v after the lock is gone from the servers", over)
	}
	return nil
}

// renewal checks that a renewed lease is held for longer than its TTL, without a reported loss.
func renewal(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	if _, _, err := b.held(ctx, 2, 5*b.TTL/2); err != nil {
		return fmt.Errorf("a lease that is renewed: %w", err)
	}
	if w, ok := l.(locks.Watched); ok {
		select {
		case <-w.Lost():
			return errors.New("the lock reported the loss of a lease that is held")
		default:
		}
	}
	if b.Traits.Bounded {
		end, err := validity(ctx, l)
		if err != nil {
			return err
		}
		if left := time.Until(end); left <= 0 || left > b.TTL {
			return fmt.Errorf("a renewed lease is valid for %v", left)
		}
	}
	return l.Release(ctx)
}

// lost checks that the loss of a lease is reported to its holder within little more than a TTL.
func lost(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	w, ok := l.(locks.Watched)
	if !ok {
		return fmt.Errorf("lease %T does not tell its loss although its lock says so", l)
	}
	if err := b.Revoke(ctx, b.name); err != nil {
		return fmt.Errorf("revoke: %w", err)
	}
	t := time.NewTimer(b.TTL + 2*time.Second)
	defer t.Stop()
	select {
	case <-w.Lost():
	case <-t.C:
		return errors.New("the lock never reported the loss of the lease")
	}
	return expectNotHeld("release of a lost lease", l.Release(ctx))
}
