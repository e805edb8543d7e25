// Package redlock implements the Redlock algorithm over independent Redis servers, and a mutant of
// it that lacks one check.
//
// A lock named N is the key "lock:N" on every server with the owner as its value. Owner values
// begin with Config.Owner. Each round of an Acquire has a new one, so that a late release of an
// earlier round cannot end a later lease.
package redlock

import (
	"context"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the addresses of the servers and the settings of a client. Only Addrs is required.
type Config struct {
	Addrs []string // host:port of every server; the quorum is more than half
	// TTL is the TTL of a lease. 0 means 2 s.
	TTL time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string

	// NodeTimeout limits the wait for one server's answer. It should be much shorter than the
	// TTL. Default: a tenth of the TTL, at least 20 ms.
	NodeTimeout time.Duration
	// Retry is the mean pause between two rounds; pauses are drawn between a half and one and a
	// half of it. Default 20 ms.
	Retry time.Duration

	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand is the source of random pauses. nil means a source that the system seeds.
	Rand *mrand.Rand
}

// defaultRetry is the default of Config.Retry.
const defaultRetry = 20 * time.Millisecond

// withDefaults fills in the defaults. The timeout of a node is a tenth of the TTL, at least 20 ms,
// so that one silent node does not use up the validity.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.NodeTimeout = attempt.OrElse(c.NodeTimeout, max(c.TTL/10, 20*time.Millisecond))
	c.Retry = attempt.OrElse(c.Retry, defaultRetry)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// drift returns the allowance of the algorithm for clocks that run at different rates: 1 % of the
// TTL, and 2 ms for the precision of Redis' expiry.
func drift(ttl time.Duration) time.Duration { return ttl/100 + 2*time.Millisecond }

// A Redlock takes a lock when more than half of several independent servers grant it, within its
// validity.
//
// Algorithm: note the time; SET NX PX on all servers in parallel, each with a timeout much shorter
// than the TTL; granted if a quorum accepted and the validity, TTL − elapsed − drift, is positive;
// otherwise release on all servers, including those that refused or did not answer, and try again
// after a random delay. Source: redis.io, "Distributed Locks with Redis" (antirez). Clock: the
// client's for the elapsed time, each server's wall clock for its key.
//
// It promises nothing when a server's clock jumps, when a server restarts without its data, or to a
// holder that is paused after the check. It has no token and no order among waiters.
type Redlock struct {
	cfg    Config
	nodes  []*node
	quorum int
	terms  *attempt.Terms
	// check returns the end of the validity after a quorum of grants, or the reason why there is
	// none.
	check func(c Config, start, replied time.Time) (until time.Time, err error)
}

var (
	_ locks.Locker = (*Redlock)(nil)
	_ locks.Trier  = (*Redlock)(nil)
)

// New returns a client; it connects when it is first used.
func New(cfg Config) *Redlock {
	cfg = cfg.withDefaults()
	r := &Redlock{cfg: cfg, quorum: len(cfg.Addrs)/2 + 1, check: elapsed}
	// Random delays keep clients from splitting the vote again.
	r.terms = &attempt.Terms{Clock: cfg.Clock, Pause: attempt.Pauses(cfg.Retry/2, cfg.Retry, cfg.Rand)}
	for _, addr := range cfg.Addrs {
		r.nodes = append(r.nodes, newNode(cfg, addr))
	}
	return r
}

// Traits returns the lock's traits.
func Traits() locks.Traits {
	return locks.Traits{
		Wait: "random delay", Bounded: true, Validity: "TTL − elapsed − drift",
		LeastTTL: 200 * time.Millisecond, Model: "timed-lease",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + defaultRetry*3/2 },
		Clock:      "each Redis server's wall clock, and the client's",
	}
}

// elapsed implements the check of the algorithm.
func elapsed(c Config, start, replied time.Time) (time.Time, error) {
	took := replied.Sub(start)
	if c.TTL-took-drift(c.TTL) <= 0 {
		return time.Time{}, fmt.Errorf("elapsed-time check: the quorum took %v of a TTL of %v", took, c.TTL)
	}
	return start.Add(c.TTL - drift(c.TTL)), nil
}

// Close drops the connections.
func (r *Redlock) Close() error {
	var first error
	for _, n := range r.nodes {
		if err := n.rdb.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
