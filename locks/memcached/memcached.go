// Package memcached holds a lock on one memcached.
//
// A lock named N is the item "lock:N" with the owner as its value. Owner values begin with
// Config.Owner and are unique to one call of Acquire.
package memcached

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the address of the server and the settings of a client. Only Addr is required.
type Config struct {
	// Addr is the host:port of the server.
	Addr string
	// TTL is the TTL of a lease. The server receives whole seconds, rounded down, at least
	// 3 s. Default 3 s.
	TTL time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string

	// Retry is the shortest pause between two tries of a waiter; the longest
	// is twice that. Default 5 ms.
	Retry time.Duration
	// Timeout bounds the wait for the answer to one request. Default 1 s.
	Timeout time.Duration
	// Grace is the time for which the client still waits for a request in progress once the
	// caller's context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration

	// Access holds the login and the TLS settings. It is nil if the server requires no login.
	Access *locks.Access
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand is the source of random pauses. nil means a source that the system seeds.
	Rand *mrand.Rand
}

// leastTTL is the shortest TTL with a positive validity.
const leastTTL = 3 * time.Second

// coarse is the time by which an item may disappear before its expiry. The server reads its clock
// about once a second and drops the fraction. If one reading came just before the end of a second and
// the next just after the end of the following one, its time jumps by two.
const coarse = 2 * time.Second

// withDefaults fills in the defaults. The TTL is rounded down to whole seconds, because memcached
// stores no fractions.
func (c Config) withDefaults() Config {
	c.TTL = max(c.TTL.Truncate(time.Second), leastTTL)
	c.Retry = attempt.OrElse(c.Retry, 5*time.Millisecond)
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = entering(c.Access)
	}
	return c
}

func itemKey(name string) string { return locks.Key("lock:", name) }

// certain reports whether an error proves that the request changed nothing.
func certain(err error) bool {
	return attempt.NotSent(err) || errors.Is(err, memcache.ErrMalformedKey) || errors.Is(err, memcache.ErrServerError)
}

// A client holds the connections of one client. The library does not support contexts: its requests
// end with the timeout, and a caller may stop waiting earlier.
type client struct {
	cfg Config
	mc  *memcache.Client
	// pause draws the time until a waiter's next try.
	pause func() time.Duration
}

// newClient makes a client. It opens no connection: the first request does.
func newClient(cfg Config) *client {
	cfg = cfg.withDefaults()
	c := &client{cfg: cfg, mc: memcache.New(cfg.Addr), pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand)}
	c.mc.Timeout = cfg.Timeout
	c.mc.MaxIdleConns = 8
	c.mc.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := cfg.Dial(ctx, network, addr)
		if err != nil {
			return nil, &attempt.NotSentError{Err: err}
		}
		return conn, nil
	}
	return c
}

// request makes a request and waits for its answer, at most until the grace after the end of ctx.
// An unanswered request may be carried out later.
func (c *client) request(ctx context.Context, ask func() error) error {
	done := make(chan error, 1)
	go func() { done <- ask() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	t := time.NewTimer(c.cfg.Grace)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("no answer: %w", ctx.Err())
	}
}

// Close drops the idle connections. A connection with a request in progress is dropped after it.
func (c *client) Close() error { return c.mc.Close() }
