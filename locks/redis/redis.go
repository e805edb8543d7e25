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
	"crypto/rand"
	"encoding/binary"
	mrand "math/rand/v2"
	"net"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"locktorture/locks"
)

// A Config says where the server is and how a client uses it. Only Addr is needed.
type Config struct {
	Addr  string        // host:port
	TTL   time.Duration // of a lease; default 2 s
	Owner string        // begins every owner value

	// Retry is the shortest pause between two tries of a waiter; the longest
	// is twice that. Default 5 ms.
	Retry time.Duration
	// Timeout is how long the answer to one request is waited for. Default 1 s.
	Timeout time.Duration
	// Grace is how long the request under way is waited for when the
	// caller's context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration

	Access *locks.Access // nil: the server is open to everybody
	Clock  locks.Clock   // default: the host's
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Rand   *mrand.Rand // of the pauses; default: seeded by the system
}

func (c Config) withDefaults() Config {
	if c.TTL <= 0 {
		c.TTL = 2 * time.Second
	}
	if c.Retry <= 0 {
		c.Retry = 5 * time.Millisecond
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Second
	}
	if c.Grace <= 0 {
		c.Grace = 100 * time.Millisecond
	}
	if c.Clock == nil {
		c.Clock = locks.SystemClock{}
	}
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	if c.Rand == nil {
		var seed [16]byte
		_, _ = rand.Read(seed[:]) // it never fails
		c.Rand = mrand.New(mrand.NewPCG(binary.LittleEndian.Uint64(seed[:]), binary.LittleEndian.Uint64(seed[8:])))
	}
	return c
}

// retryMax is the longest default pause of a waiter.
const retryMax = 10 * time.Millisecond

// afterTTL is the FreeWithin of locks whose key expires: the TTL and one retry.
func afterTTL(ttl time.Duration) time.Duration { return ttl + retryMax }

func lockKey(name string) string  { return locks.Key("lock:", name) }
func tokenKey(name string) string { return locks.Key("token:", name) }

// A server is one client's connections to a Redis. Nothing in it retries, so
// that every request is accounted for.
type server struct {
	cfg Config
	rdb goredis.UniversalClient

	mu sync.Mutex // guards cfg.Rand
}

func newServer(cfg Config) *server {
	cfg = cfg.withDefaults()
	return &server{cfg: cfg, rdb: goredis.NewClient(options(cfg))}
}

// options are those of every client of one server.
func options(cfg Config) *goredis.Options {
	user, password := cfg.Access.Login()
	return &goredis.Options{
		Addr:             cfg.Addr,
		Username:         user,
		Password:         password,
		Dialer:           accounted(cfg.Dial),
		Protocol:         2,
		DisableIdentity:  true,
		MaxRetries:       -1,
		DialerRetries:    1,
		DialTimeout:      cfg.Timeout,
		PoolSize:         8,
		PipelinePoolSize: -1,
		// Deadlines come from the context of each request. The library
		// counts these from a cached time that is up to 50 ms old.
		ContextTimeoutEnabled:    true,
		ReadTimeout:              time.Minute,
		WriteTimeout:             time.Minute,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}

// owner makes an owner value that nobody ever used.
func (s *server) owner() string { return s.cfg.Owner + ":" + rand.Text() }

// pause draws the time until a waiter's next try.
func (s *server) pause() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Retry + time.Duration(s.cfg.Rand.Int64N(int64(s.cfg.Retry)))
}

// Close drops the connections.
func (s *server) Close() error { return s.rdb.Close() }
