package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A LocalLatch is a client of the latches of a LocalServer, which must never be flagged.
//
// Algorithm: the server keeps a set of parties for each name, so that a party that counts down
// twice counts once. The latch is open once the set is large enough, and is kept forever.
// Source: this package. Clock: none.
type LocalLatch struct {
	locks.NotExclusive
	local *Local
}

var (
	_ locks.Locker = LocalLatch{}
	_ locks.Latch  = LocalLatch{}
)

// NewLocalLatch returns a client.
func NewLocalLatch(cfg LocalConfig) LocalLatch { return LocalLatch{local: NewLocal(cfg)} }

// LocalLatchTraits returns the latch's traits: every waiter passes within a second of the
// opening.
func LocalLatchTraits() locks.Traits { return localTraits(locks.CountDownLatch, "latch") }

// SetCount makes the latch. A later call has no effect.
func (l LocalLatch) SetCount(ctx context.Context, name string, count int) error {
	return l.local.ask(ctx, "set", "set-count", name, strconv.Itoa(count))
}

// CountDown adds the party to the set.
func (l LocalLatch) CountDown(ctx context.Context, name, party string) error {
	return l.local.ask(ctx, "counted", "count-down", name, url.QueryEscape(party))
}

// Await waits at the server until the latch is open.
func (l LocalLatch) Await(ctx context.Context, name string) error {
	return l.local.ask(ctx, "passed", "await", name)
}

// Close drops the connection. Count-downs stay counted.
func (l LocalLatch) Close() error { return l.local.Close() }

// ask sends a request that grants nothing, and waits for its answer, which must be want. Only await
// can be cancelled, because the server answers the other requests at once.
func (l *Local) ask(ctx context.Context, want, op, name string, args ...string) error {
	s, err := l.connect(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	patience := time.Duration(0)
	if op == "await" {
		patience = l.cfg.Patience
	}
	words, err := s.call(ctx, patience, l.last.Add(1), op, append([]string{url.QueryEscape(name)}, args...)...)
	switch {
	case err != nil:
		return err
	case words[0] == want:
		return nil
	case words[0] == "refused":
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, context.Cause(ctx))
	}
	return fmt.Errorf("local lock server answered %q", strings.Join(words, " "))
}

// lost is the period of lost answers: a NoneLatch loses one in four.
const lost = 4

// A NoneLatch is broken on purpose: it counts every call, even if a party calls twice, and loses
// the answer to one call in four.
//
// Algorithm: a counter at a LocalServer that does not distinguish parties. Source: this package.
// Clock: none. It falsely declares that a party may call again.
type NoneLatch struct {
	LocalLatch
	calls *atomic.Int64
	owner string
}

// NewNoneLatch returns a client.
func NewNoneLatch(cfg LocalConfig) NoneLatch {
	return NoneLatch{NewLocalLatch(cfg), new(atomic.Int64), cfg.Owner}
}

// CountDown adds one to the count, whichever party calls.
func (n NoneLatch) CountDown(ctx context.Context, name, _ string) error {
	call := n.calls.Add(1)
	err := n.LocalLatch.CountDown(ctx, name, fmt.Sprintf("%s:%d", n.owner, call))
	if err == nil && call%lost == 0 {
		return fmt.Errorf("count-down %d: the answer was lost", call)
	}
	return err
}
