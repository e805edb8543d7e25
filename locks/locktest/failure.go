package locktest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/locks"
)

// busy is the delay that a busy machine may add to a time that a lock promises.
const busy = 2 * time.Second

// crash checks that the lock of a client that dropped its connections is free again within the
// declared time.
func crash(ctx context.Context, b *fixture) error {
	if _, err := b.acquire(ctx, 1); err != nil {
		return err
	}
	if _, err := b.client(ctx, 2); err != nil {
		return err
	}
	if err := b.clients[1].Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	delete(b.clients, 1)
	free := b.Traits.FreeWithin(b.TTL)
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, free+busy)
	defer cancel()
	l, err := b.clients[2].Acquire(ctx, b.name)
	if err != nil {
		return fmt.Errorf("%v after a crash, %v were promised: %w", time.Since(start), free, err)
	}
	return l.Release(ctx)
}

// reconnect checks that an acquire whose answers are lost returns no grant, and no certain
// refusal if its request may have succeeded. It also checks that the client works again after
// the network has healed.
func reconnect(ctx context.Context, b *fixture) error {
	l, err := b.acquire(ctx, 1) // opens a connection that can be lost
	if err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	lose := b.Mute // requests arrive, so that a wrong guess about them shows
	if lose == nil {
		lose = b.Cut
	}
	if err := lose(1); err != nil {
		return fmt.Errorf("cut: %w", err)
	}
	taken, err := b.acquireUnheard(ctx)
	healErr := b.Heal(1)
	switch {
	case err == nil:
		return errors.New("a lock was granted over a cut link")
	case healErr != nil:
		return fmt.Errorf("heal: %w", healErr)
	case errors.Is(err, locks.ErrNotAcquired) && taken:
		return errors.New("an acquire whose answers were lost was not-acquired, and yet it had taken the lock: meanwhile another client was refused it, and nobody else had it")
	case errors.Is(err, locks.ErrNotAcquired):
		// The error claims that nothing was left behind.
		if l, err = b.soon(ctx, 2); err != nil {
			return fmt.Errorf("an acquire over a cut link was certain and yet left something behind: %w", err)
		}
		if err := l.Release(ctx); err != nil {
			return fmt.Errorf("release: %w", err)
		}
	}
	return b.recovers(ctx)
}

const (
	// unheard is the time for which an acquire waits for answers that are lost.
	unheard = 600 * time.Millisecond
	// arrived is more than the time that the requests of an acquire need to arrive.
	arrived = 400 * time.Millisecond
)

// acquireUnheard makes client 1 acquire the lock while no answer reaches it. taken reports whether
// the servers granted it the lock, because another client was refused meanwhile.
func (b *fixture) acquireUnheard(ctx context.Context) (taken bool, err error) {
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(ctx, unheard)
		defer cancel()
		_, err := b.clients[1].Acquire(ctx, b.name)
		done <- err
	}()
	select {
	case err := <-done:
		return false, err
	case <-time.After(arrived):
	}
	// A holder keeps the lock for a TTL. A busy machine may need a part of that to ask at all.
	ctx, cancel := context.WithTimeout(ctx, b.TTL/4)
	defer cancel()
	l, err := b.clients[2].Acquire(ctx, b.name)
	if err == nil {
		err = l.Release(context.WithoutCancel(ctx))
	} else if errors.Is(err, locks.ErrNotAcquired) {
		taken, err = b.seenTaken(ctx), nil
	}
	return taken, errors.Join(<-done, err)
}

// seenTaken reports whether a look at the servers shows an owner of the lock. It is true where there
// is no look: then only a refusal says so, and the refusal of a busy machine may mean nothing.
func (b *fixture) seenTaken(ctx context.Context) bool {
	if b.Prober == nil {
		return true
	}
	sights, err := b.sights(context.WithoutCancel(ctx))
	return err == nil && slices.ContainsFunc(sights, locks.Sight.Taken)
}

// recovers waits until client 1 can take a lock again. Broken connections may cost a few calls,
// each of which must end. It uses another lock, because the client may hold the first one without
// knowing.
func (b *fixture) recovers(ctx context.Context) error {
	for {
		actx, cancel := context.WithTimeout(ctx, b.TTL)
		l, err := b.clients[1].Acquire(actx, b.name+"-after")
		cancel()
		if err == nil {
			return l.Release(ctx)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the client never recovered from a cut: %w", err)
		}
	}
}
