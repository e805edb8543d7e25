package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// acquire acquires the lock for a client, within the limit of the check. It opens the next client
// first, because the start of a process may take longer than a lease lasts.
func (b *fixture) acquire(ctx context.Context, n int) (locks.Lease, error) {
	if n == 1 {
		if _, err := b.client(ctx, 2); err != nil {
			return nil, err
		}
	}
	c, err := b.client(ctx, n)
	if err != nil {
		return nil, err
	}
	l, err := c.Acquire(ctx, b.name)
	if err != nil {
		return nil, fmt.Errorf("client %d: acquire: %w", n, err)
	}
	return l, nil
}

// ready opens the first n clients. A check calls it before there is a lease, because the start of a
// process may take longer than the lease lasts.
func (b *fixture) ready(ctx context.Context, n int) error {
	for i := 1; i <= n; i++ {
		if _, err := b.client(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// soon acquires a lock that must be free: it waits for less than any lease lasts, so that a
// leftover is not mistaken for a free lock.
func (b *fixture) soon(ctx context.Context, n int) (locks.Lease, error) {
	// A client in a process of its own takes a while to start.
	if _, err := b.client(ctx, n); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, b.TTL/2)
	defer cancel()
	return b.acquire(ctx, n)
}

// held returns an error if another client gets the held lock, or ends with an unknown outcome.
// gaveUp is the time that the last wait took, waited is the time that it was allowed.
func (b *fixture) held(ctx context.Context, n int, wait time.Duration) (gaveUp, waited time.Duration, err error) {
	c, err := b.client(ctx, n)
	if err != nil {
		return 0, 0, err
	}
	return b.inVain(ctx, wait, func(ctx context.Context) error {
		l, err := c.Acquire(ctx, b.name)
		return turnedAway(ctx, l, err, fmt.Sprintf("client %d: acquire of a held lock", n))
	})
}

// inVain makes a client ask for something that it must not get, for the given time. On a busy
// machine that may be too short for the servers to answer; the outcome is then rightly
// unknown, and the client asks again for twice as long. gaveUp is the time that the last wait
// took, waited is the time that it was allowed.
func (b *fixture) inVain(ctx context.Context, wait time.Duration, ask func(context.Context) error) (gaveUp, waited time.Duration, err error) {
	longest := b.longest(wait)
	for ; ; wait *= 2 {
		start := time.Now()
		wctx, cancel := context.WithTimeout(ctx, wait)
		err := ask(wctx)
		cancel()
		if !errors.Is(err, errNotKnown) || 2*wait > longest {
			return time.Since(start), wait, err
		}
	}
}

// longest is how long a client may ask for something that others hold, if it asks for the given time
// at first.
func (b *fixture) longest(wait time.Duration) time.Duration {
	if b.expires() { // later the holder's lease may be over
		return max(wait, b.TTL/4)
	}
	return b.limit() / 4
}

// errNotKnown reports that a request for something that others hold ended without an answer.
var errNotKnown = errors.New("want ErrNotAcquired")

// turnedAway returns an error unless the outcome of a request is ErrNotAcquired. It releases a
// lease that was granted.
func turnedAway(ctx context.Context, l locks.Lease, err error, what string) error {
	switch {
	case err == nil:
		_ = l.Release(context.WithoutCancel(ctx))
		return fmt.Errorf("%s: it was granted", what)
	case !errors.Is(err, locks.ErrNotAcquired):
		return fmt.Errorf("%s: %w, %w", what, err, errNotKnown)
	}
	return nil
}

// validity returns the end of a lease's validity, from the interface that the lease
// implements. The remaining time that another process answers is counted from before the
// question, so that the end is not later than the lease declares.
func validity(ctx context.Context, l locks.Lease) (time.Time, error) {
	switch l := l.(type) {
	case locks.Bounded:
		return l.Until(), nil
	case locks.Asker:
		start := time.Now()
		left, err := l.Ask(ctx)
		return start.Add(left), err
	}
	return time.Time{}, fmt.Errorf("lease %T declares no validity although its lock says so", l)
}

// token returns the fencing token of a lease, and an error if the lease has none although its lock
// declares tokens.
func token(l locks.Lease) (uint64, error) {
	f, ok := l.(locks.Fenced)
	if !ok {
		return 0, fmt.Errorf("lease %T has no token although its lock says so", l)
	}
	if f.Token() == 0 {
		return 0, errors.New("token is 0, which means none")
	}
	return f.Token(), nil
}

// end ends a lease without its holder's knowledge. Without Revoke it does nothing, and the
// lease expires by itself: the expiry is certain when another client gets the lock.
func (b *fixture) end(ctx context.Context) error {
	if b.Revoke != nil {
		if err := b.Revoke(ctx, b.name); err != nil {
			return fmt.Errorf("revoke: %w", err)
		}
	}
	return nil
}

// expectNotHeld returns an error unless the release of an ended lease returned ErrNotHeld.
func expectNotHeld(what string, err error) error {
	if err == nil {
		return fmt.Errorf("%s: success, want ErrNotHeld", what)
	}
	if !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("%s: %w, want ErrNotHeld", what, err)
	}
	return nil
}
