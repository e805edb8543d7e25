package control

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"locktorture/locks"
)

// A LocalBarrier is a client of the double barriers of a LocalServer, which must never be
// flagged.
//
// Algorithm: the server counts the waiting parties, lets all of them in together, and answers
// the calls to leave once all have been made. The end of a connection counts as leaving.
// Source: this package. Clock: none; a paused client keeps the others waiting.
type LocalBarrier struct {
	locks.NotExclusive
	local *Local
}

var (
	_ locks.Locker  = LocalBarrier{}
	_ locks.Barrier = LocalBarrier{}
)

// NewLocalBarrier returns a client.
func NewLocalBarrier(cfg LocalConfig) LocalBarrier { return LocalBarrier{local: NewLocal(cfg)} }

// LocalBarrierTraits returns the barrier's traits.
func LocalBarrierTraits() locks.Traits { return localTraits(locks.DoubleBarrier, "barrier") }

// Enter waits at the server. A caller whose ctx ends before all parties have come is not counted.
func (l LocalBarrier) Enter(ctx context.Context, name string, parties int) (locks.Lease, error) {
	s, err := l.local.connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	words, err := s.call(ctx, l.local.cfg.Patience, l.local.last.Add(1), "enter", url.QueryEscape(name), strconv.Itoa(parties))
	switch {
	case err != nil:
		return nil, err
	case words[0] == "refused":
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, context.Cause(ctx))
	case words[0] != "granted" || len(words) != 2:
		return nil, fmt.Errorf("local lock server answered %q", strings.Join(words, " "))
	}
	return &localStay{local: l.local, session: s, token: words[1]}, nil
}

// Close drops the connection. The server counts that as leaving.
func (l LocalBarrier) Close() error { return l.local.Close() }

// A localStay is the lease of a party inside a barrier.
type localStay struct {
	local   *Local
	session *localSession
	token   string
	over    atomic.Bool
}

// Release leaves the barrier and waits until the others leave too.
func (l *localStay) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	words, err := l.session.call(ctx, 0, l.local.last.Add(1), "leave", l.token)
	if err != nil {
		return fmt.Errorf("leave: %w", err)
	}
	if words[0] == "not-held" {
		return locks.ErrNotHeld
	}
	return nil
}

// A NoneBarrier is broken on purpose: it lets every party in and out at once.
//
// Algorithm: none. Source: none. Clock: none. It promises nothing.
type NoneBarrier struct {
	locks.NotExclusive
	none *None
}

var _ locks.Barrier = NoneBarrier{}

// NewNoneBarrier returns a client. Its owner values begin with owner.
func NewNoneBarrier(owner string) NoneBarrier { return NoneBarrier{none: NewNone(owner)} }

// NoneBarrierTraits returns the traits of a barrier, which a NoneBarrier only claims to be.
func NoneBarrierTraits() locks.Traits {
	return locks.Traits{Kind: locks.DoubleBarrier, Model: "barrier", Clock: "none"}
}

// Enter lets the party in at once.
func (n NoneBarrier) Enter(ctx context.Context, name string, _ int) (locks.Lease, error) {
	return n.none.Acquire(ctx, name)
}

// Close does nothing.
func (n NoneBarrier) Close() error { return nil }
