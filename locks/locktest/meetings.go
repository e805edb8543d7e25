package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// meets reports whether the lock is a latch or a barrier, which no client holds alone.
func (s Suite) meets() bool {
	return s.Traits.Kind == locks.CountDownLatch || s.Traits.Kind == locks.DoubleBarrier
}

// held limits checks to the kinds of locks that a client can hold alone.
func held(list []Check) []Check {
	for i, c := range list {
		list[i].Lacks = func(s Suite) string {
			if s.meets() {
				return "nobody holds it alone"
			}
			return c.Lacks(s)
		}
	}
	return list
}

// meetings returns the checks of latches and barriers.
func meetings() []Check {
	isLatch := func(s Suite) string { return needs(s.Traits.Kind == locks.CountDownLatch, "it is no latch") }
	isBarrier := func(s Suite) string { return needs(s.Traits.Kind == locks.DoubleBarrier, "it is no barrier") }
	endsCrashed := func(s Suite) string {
		if s.Traits.FreeWithin == nil {
			return "it promises nothing after a crash"
		}
		return isBarrier(s)
	}
	return []Check{
		{"latch", isLatch, latch},
		{"count-down-twice", func(s Suite) string {
			if s.Traits.Single {
				return "one count-down opens it"
			}
			return isLatch(s)
		}, countDownTwice},
		{"barrier", isBarrier, barrier},
		{"party-gone", endsCrashed, partyGone},
		{"successor", endsCrashed, successor},
	}
}

// inVain is how long a check waits for an event that must not happen.
const inVain = 150 * time.Millisecond

// latch returns a client as a Latch.
func (b *fixture) latch(ctx context.Context, client int) (locks.Latch, error) {
	l, err := b.client(ctx, client)
	if err != nil {
		return nil, err
	}
	latch, ok := l.(locks.Latch)
	if !ok {
		return nil, fmt.Errorf("a %T is no latch", l)
	}
	return latch, nil
}

// closed checks that a client does not pass the latch.
func (b *fixture) closed(ctx context.Context, client int, when string) error {
	l, err := b.latch(ctx, client)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, inVain)
	defer cancel()
	if l.Await(ctx, b.name) == nil {
		return errors.New("a client passed " + when)
	}
	return nil
}

// latch checks that the latch is closed until all parties have counted down, and that waiters and
// latecomers pass afterwards.
func latch(ctx context.Context, b *fixture) error {
	first, err := b.latch(ctx, 1)
	if err != nil {
		return err
	}
	waiter, err := b.latch(ctx, 2)
	if err != nil {
		return err
	}
	parties := []string{"a", "b", "c"}
	if b.Traits.Single {
		parties = parties[:1]
	}
	for range 2 { // a repetition changes nothing
		if err := first.SetCount(ctx, b.name, len(parties)); err != nil {
			return fmt.Errorf("set the count: %w", err)
		}
	}
	waiting := make(chan error, 1)
	go func() { waiting <- waiter.Await(ctx, b.name) }()
	for n, party := range parties {
		if err := b.closed(ctx, 3, fmt.Sprintf("after %d of %d count-downs", n, len(parties))); err != nil {
			return err
		}
		if err := first.CountDown(ctx, b.name, party); err != nil {
			return fmt.Errorf("count-down %d: %w", n+1, err)
		}
	}
	if err := <-waiting; err != nil {
		return fmt.Errorf("who waited when it opened: %w", err)
	}
	late, err := b.latch(ctx, 4)
	if err != nil {
		return err
	}
	if err := late.Await(ctx, b.name); err != nil {
		return fmt.Errorf("who came after it had opened: %w", err)
	}
	return nil
}

// countDownTwice checks that a party that counts down twice counts once.
func countDownTwice(ctx context.Context, b *fixture) error {
	l, err := b.latch(ctx, 1)
	if err != nil {
		return err
	}
	if err := l.SetCount(ctx, b.name, 2); err != nil {
		return fmt.Errorf("set the count: %w", err)
	}
	for range 2 {
		if err := l.CountDown(ctx, b.name, "a"); err != nil {
			return fmt.Errorf("count-down: %w", err)
		}
	}
	if err := b.closed(ctx, 2, "after two count-downs of one party of two"); err != nil {
		return err
	}
	if err := l.CountDown(ctx, b.name, "b"); err != nil {
		return fmt.Errorf("count-down of the other: %w", err)
	}
	return l.Await(ctx, b.name)
}
