// Package redis holds locks on one Redis server, or on a primary with replicas behind one address.
// Each file is one algorithm; its doc comment states what it does not promise.
//
// A lock named N is the key "lock:N" with the owner as its value; "token:N" counts its fencing
// tokens. Owner values begin with Config.Owner and are unique to one call of Acquire.
package redis

import (
	"context"
	mrand "math/rand/v2"
	"net"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A Config holds the address of the server and the settings of a client. Only Addr is required.
type Config struct {
	// Addr is the host:port of the server.
	Addr string
	TTL  time.Duration // TTL of a lease, rounded down to whole milliseconds, the precision of Redis; default 2 s
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

// withDefaults fills in the defaults. The TTL is rounded down to whole milliseconds, the precision
// of Redis.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL.Truncate(time.Millisecond), 2*time.Second)
	c.Retry = attempt.OrElse(c.Retry, 5*time.Millisecond)
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// retryMax is the longest default pause of a waiter.
const retryMax = 10 * time.Millisecond

// afterTTL returns the FreeWithin of locks whose key expires: the TTL plus the longest pause of a
// waiter.
func afterTTL(ttl time.Duration) time.Duration { return ttl + retryMax }

func lockKey(name string) string  { return locks.Key("lock:", name) }
func tokenKey(name string) string { return locks.Key("token:", name) }

// A server holds one client's connections to a Redis server. Nothing in it retries, so that every
// request is accounted for.
type server struct {
	cfg   Config
	rdb   goredis.UniversalClient
	terms *attempt.Terms
}

// newServer makes a client with a connection pool of its own. It opens no connection.
func newServer(cfg Config) *server {
	cfg = cfg.withDefaults()
	return serverOf(cfg, goredis.NewClient(options(cfg)))
}

// serverOf returns a server that uses a client of the library. cfg must have its defaults.
func serverOf(cfg Config, rdb goredis.UniversalClient) *server {
	return &server{cfg: cfg, rdb: rdb, terms: &attempt.Terms{
		Timeout: cfg.Timeout, Grace: cfg.Grace, Clock: cfg.Clock,
		Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand), Certain: redisconn.Certain,
	}}
}

// options returns the settings of every client of a server.
func options(cfg Config) *goredis.Options {
	return redisconn.Options(cfg.Addr, cfg.Timeout, cfg.Access, cfg.Dial)
}

// owner returns an owner value that was never used before.
func (s *server) owner() string { return attempt.Owner(s.cfg.Owner) }

// Close drops the connections.
func (s *server) Close() error { return s.rdb.Close() }
