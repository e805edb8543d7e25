// Package redis holds locks on one Redis server, or on a primary with
// replicas behind one address. Each file is one algorithm; what it does not
// promise stands in its doc comment.
//
// A lock named N is the key "lock:N", its value the owner, its fencing tokens
// are counted in "token:N". Owner values begin with Config.Owner and are
// unique to one call of Acquire.
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

// A Config says where the server is and how a client uses it. Only Addr is needed.
type Config struct {
	Addr  string        // host:port
	TTL   time.Duration // of a lease, rounded down to whole milliseconds, as Redis knows no less; default 2 s
	Owner string        // prefix of every owner value

	// Retry is the shortest pause between two tries of a waiter; the longest
	// is twice that. Default 5 ms.
	Retry time.Duration
	// Timeout bounds the wait for the answer to one request. Default 1 s.
	Timeout time.Duration
	// Grace is how long the client still waits for the request under way once the caller's
	// context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration

	Access *locks.Access // nil: the server is open to everybody
	Clock  locks.Clock   // default: the host's
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Rand   *mrand.Rand // of the pauses; default: seeded by the system
}

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

// afterTTL returns the FreeWithin of locks whose key expires: the TTL and one retry.
func afterTTL(ttl time.Duration) time.Duration { return ttl + retryMax }

func lockKey(name string) string  { return locks.Key("lock:", name) }
func tokenKey(name string) string { return locks.Key("token:", name) }

// A server is one client's connections to a Redis. Nothing in it retries, so
// that every request is accounted for.
type server struct {
	cfg   Config
	rdb   goredis.UniversalClient
	terms *attempt.Terms
}

func newServer(cfg Config) *server {
	cfg = cfg.withDefaults()
	return serverOf(cfg, goredis.NewClient(options(cfg)))
}

// serverOf returns the server that a client of the library reaches. cfg has its defaults.
func serverOf(cfg Config, rdb goredis.UniversalClient) *server {
	return &server{cfg: cfg, rdb: rdb, terms: &attempt.Terms{
		Timeout: cfg.Timeout, Grace: cfg.Grace, Clock: cfg.Clock,
		Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand), Certain: redisconn.Certain,
	}}
}

// options returns the settings that all clients of one server use.
func options(cfg Config) *goredis.Options {
	return redisconn.Options(cfg.Addr, cfg.Timeout, cfg.Access, cfg.Dial)
}

// owner returns an owner value that was never used before.
func (s *server) owner() string { return attempt.Owner(s.cfg.Owner) }

// Close drops the connections.
func (s *server) Close() error { return s.rdb.Close() }
