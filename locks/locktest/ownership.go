package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/locks"
)

// releaseTwice checks that the second release returns ErrNotHeld and does not affect the next
// holder.
func releaseTwice(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 3); err != nil {
		return err
	}
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := expectNotHeld("second release of a free lock", l.Release(ctx)); err != nil {
		return err
	}
	next, err := b.soon(ctx, 2)
	if err != nil {
		return err
	}
	if err := expectNotHeld("release of a lock that another holds now", l.Release(ctx)); err != nil {
		return err
	}
	if _, _, err := b.held(ctx, 3, 50*time.Millisecond); err != nil {
		return fmt.Errorf("after a second release: %w", err)
	}
	return next.Release(ctx)
}

// releaseByNonHolder checks that a client that lost the lock without noticing cannot release the
// next holder's lease. Its release must return ErrNotHeld unless the lock declares Blind.
func releaseByNonHolder(ctx context.Context, b *fixture) error {
	if err := b.ready(ctx, 3); err != nil {
		return err
	}
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	if err := b.end(ctx); err != nil {
		return err
	}
	next, err := b.acquire(ctx, 2)
	if err != nil {
		return fmt.Errorf("after the end of the first lease: %w", err)
	}
	if err := l.Release(ctx); err != nil || !b.Traits.Blind {
		if err := expectNotHeld("release by a former holder", err); err != nil {
			return err
		}
	}
	if _, _, err := b.held(ctx, 3, 50*time.Millisecond); err != nil {
		return fmt.Errorf("after a release by a former holder: %w", err)
	}
	return next.Release(ctx)
}

// owner checks that the servers store the lease's owner value, that they store none after its
// release, and that the next grant has another value.
func owner(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1)
	if err != nil {
		return err
	}
	o, ok := l.(locks.Owned)
	if !ok || o.Owner() == "" {
		return errors.New("the lease does not know its owner value")
	}
	if err := b.seen(ctx, o.Owner()); err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := b.cleared(ctx); err != nil {
		return err
	}
	// An owner value that names a connection is the same for each of its grants, but no other
	// client ever has it.
	next := 1
	if b.Traits.Validity == "connection" {
		next = 2
	}
	again, err := b.acquire(ctx, next)
	if err != nil {
		return err
	}
	if value := again.(locks.Owned).Owner(); value == o.Owner() {
		return fmt.Errorf("two grants have the owner value %q", value)
	}
	return again.Release(ctx)
}

// lookTime is the time for which a probe of the servers is repeated. The lock is not to blame if
// they answer a probe, which waits 200 ms, too late.
const lookTime = 10 * time.Second

// sights probes the servers.
func (b *fixture) sights(ctx context.Context) ([]locks.Sight, error) {
	for late := time.Now().Add(lookTime); ; {
		sights, err := b.Prober.Probe(ctx, b.name)
		if err == nil || ctx.Err() != nil || time.Now().After(late) {
			return sights, err
		}
	}
}

// cleared checks that no node stores an owner after a release. A release by quorum may return once
// enough nodes have answered for the next owner to find a quorum (redlock of Node.js does so); the
// other nodes follow, long before the lease would have expired.
func (b *fixture) cleared(ctx context.Context) error {
	late := time.Now().Add(b.TTL / 2)
	for {
		sights, err := b.sights(ctx)
		if err != nil {
			return err
		}
		taken := slices.DeleteFunc(slices.Clone(sights), func(s locks.Sight) bool { return !s.Taken() })
		if len(taken) == 0 {
			return nil
		}
		if free := len(sights) - len(taken); free < b.Quorum || b.Quorum < 2 || time.Now().After(late) {
			return fmt.Errorf("%d of %d nodes still have an owner after the release: %+v", len(taken), len(sights), taken)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// seen checks that a quorum of nodes stores an owner value.
func (b *fixture) seen(ctx context.Context, want string) error {
	sights, err := b.sights(ctx)
	if err != nil {
		return err
	}
	count := 0
	for _, s := range sights {
		if s.Has(want) {
			count++
		}
	}
	if count < max(1, b.Quorum) {
		return fmt.Errorf("%d nodes have owner %q, want %d: %+v", count, want, max(1, b.Quorum), sights)
	}
	return nil
}

// tokens checks that tokens grow from grant to grant, across clients and after a lease that was not
// released.
func tokens(ctx context.Context, b *fixture) error {
	var last uint64
	for i := range 12 {
		l, err := b.acquire(ctx, 1+i%3)
		if err != nil {
			return err
		}
		t, err := token(l)
		if err != nil {
			return err
		}
		if t <= last {
			return fmt.Errorf("token %d after token %d", t, last)
		}
		last = t
		if i == 5 && b.Revoke != nil {
			if err := b.Revoke(ctx, b.name); err != nil {
				return fmt.Errorf("revoke: %w", err)
			}
			continue
		}
		if err := l.Release(ctx); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	return nil
}
