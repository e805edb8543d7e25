package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/locks"
)

// releaseTwice: the second release says ErrNotHeld and does nothing to the next holder.
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

// releaseByNonHolder: a client that has lost the lock unknowingly cannot release the next
// holder's lease. Its release returns ErrNotHeld unless the lock is declared Blind.
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

// owner: the servers keep the lease's owner value, and nothing after its release; the next
// grant has another value.
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
	// What a connection owns has the connection's name, from grant to grant; no other
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

// lookTime is how long a look at the servers is tried again. A lock is not to blame if they
// answer a probe, which waits 200 ms, too late.
const lookTime = 10 * time.Second

// sights looks at the servers.
func (b *fixture) sights(ctx context.Context) ([]locks.Sight, error) {
	for late := time.Now().Add(lookTime); ; {
		sights, err := b.Prober.Probe(ctx, b.name)
		if err == nil || ctx.Err() != nil || time.Now().After(late) {
			return sights, err
		}
	}
}

// cleared: no node keeps an owner after a release. A release by quorum may return once
// so many nodes have answered that the next owner finds a quorum (redlock of Node.js
// does); the others follow, long before the lease would have run out.
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

// seen looks for an owner value on a quorum of nodes.
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

// tokens: they grow from grant to grant, across clients and also after a lease that was not
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
