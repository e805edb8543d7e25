package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// An entered is the result of an attempt to enter a barrier.
type entered struct {
	lease locks.Lease
	err   error
}

// enter makes two clients enter a barrier of two, one after the other.
func (b *fixture) enter(ctx context.Context) (first, second locks.Lease, err error) {
	claim := locks.Claim{Parties: 2}
	if err := b.ready(ctx, 2); err != nil { // opens the clients first, because the fixture is not safe for concurrent use
		return nil, nil, err
	}
	coming := make(chan entered, 1)
	go func() {
		l, err := b.take(ctx, 1, claim)
		coming <- entered{l, err}
	}()
	select {
	case e := <-coming:
		if e.err != nil {
			return nil, nil, fmt.Errorf("the first to enter: %w", e.err)
		}
		return nil, nil, errors.New("one of two parties was let in alone")
	case <-time.After(inVain):
	}
	if second, err = b.take(ctx, 2, claim); err != nil {
		return nil, nil, fmt.Errorf("the second to enter: %w", err)
	}
	e := <-coming
	if e.err != nil {
		return nil, nil, fmt.Errorf("the first to enter, when the second had come: %w", e.err)
	}
	return e.lease, second, nil
}

// leaving calls Release, and checks that it does not return while the other party is inside.
func leaving(ctx context.Context, l locks.Lease) (<-chan error, error) {
	left := make(chan error, 1)
	go func() { left <- l.Release(ctx) }()
	select {
	case err := <-left:
		if err != nil {
			return nil, fmt.Errorf("the first to leave: %w", err)
		}
		return nil, errors.New("one of two parties left while the other was inside")
	case <-time.After(inVain):
		return left, nil
	}
}

// barrier checks that no party enters before all have come, that none leaves before all leave, and
// that they can meet again.
func barrier(ctx context.Context, b *fixture) error {
	for generation := range 3 {
		first, second, err := b.enter(ctx)
		if err != nil {
			return fmt.Errorf("generation %d: %w", generation+1, err)
		}
		left, err := leaving(ctx, first)
		if err == nil {
			if err = second.Release(ctx); err == nil {
				err = <-left
			}
		}
		if err != nil {
			return fmt.Errorf("generation %d: %w", generation+1, err)
		}
	}
	return nil
}

// partyGone checks that a dead party does not keep the others inside for longer than FreeWithin.
func partyGone(ctx context.Context, b *fixture) error {
	first, _, err := b.enter(ctx)
	if err != nil {
		return err
	}
	dead, err := b.client(ctx, 2)
	if err != nil {
		return err
	}
	if err := dead.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	delete(b.clients, 2)
	limit := b.Traits.FreeWithin(b.TTL)
	ctx, cancel := context.WithTimeout(ctx, limit+limit/4+time.Second)
	defer cancel()
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("leave a barrier of which the other party is gone, within %v: %w", limit, err)
	}
	return nil
}

// successor checks that a client that comes after the death of a party does not enter beside the
// parties still inside, neither while the dead party's node exists nor afterwards.
func successor(ctx context.Context, b *fixture) error {
	first, _, err := b.enter(ctx)
	if err != nil {
		return err
	}
	if _, err := b.client(ctx, 3); err != nil {
		return err
	}
	if err := b.clients[2].Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	delete(b.clients, 2)
	vain, cancel := context.WithTimeout(ctx, b.Traits.FreeWithin(b.TTL))
	defer cancel()
	for vain.Err() == nil { // some barriers refuse it at once
		if _, err := b.take(vain, 3, locks.Claim{Parties: 2}); err == nil {
			return errors.New("who came when one of two parties was gone was let in beside the other")
		}
		time.Sleep(inVain / 10)
	}
	if err := first.Release(ctx); err != nil {
		return fmt.Errorf("leave a barrier of which the other party is gone: %w", err)
	}
	return nil
}
