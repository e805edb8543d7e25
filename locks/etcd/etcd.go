// Package etcd holds locks on etcd. Each file is one algorithm; what it does
// not promise stands in its doc comment.
//
// A lock named N is the keys below "lock/N/", each of which belongs to an etcd
// lease and goes with it. Owner values begin with Config.Owner and are unique to one
// grant.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config says where the servers are and how a client uses them. Only
// Endpoints is needed.
type Config struct {
	Endpoints []string // host:port of every server
	// TTL of a lease, rounded up to whole seconds, at least 1 s: etcd knows no
	// shorter ones, and may grant a longer one. Default 2 s.
	TTL   time.Duration
	Owner string // begins every owner value
	// Timeout is how long the answer to one request is waited for before it
	// is asked again, of another server. Default TTL/4.
	Timeout time.Duration
	// Grace is how long the request under way is waited for when the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	Access *locks.Access // nil: the servers are open to everybody
	Clock  locks.Clock   // default: the host's
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.TTL = max(time.Second, (c.TTL + time.Second - 1).Truncate(time.Second))
	c.Timeout = attempt.OrElse(c.Timeout, c.TTL/4)
	c.Grace = attempt.OrElse(c.Grace, 500*time.Millisecond)
	c.Clock = attempt.ClockOr(c.Clock)
	if c.Dial == nil {
		c.Dial = c.Access.DialHTTP2
	}
	return c
}

// freeWithin is the time after which a lock whose holder is gone is free: the
// TTL, and what etcd adds: it looks for ended leases twice a second, and gives all of
// them a new TTL when the leader changes.
func freeWithin(ttl time.Duration) time.Duration {
	return Config{TTL: ttl}.withDefaults().TTL + 2*time.Second
}

// loginTime bounds the login of a client, where servers ask for one.
const loginTime = 5 * time.Second

// A server is one client's connections.
type server struct {
	cfg  Config
	etcd *clientv3.Client
}

func newServer(cfg Config) (*server, error) {
	cfg = cfg.withDefaults()
	dial := cfg.Dial
	user, password := cfg.Access.Login()
	c, err := clientv3.New(clientv3.Config{
		Username: user, Password: password, DialTimeout: loginTime,
		Endpoints:            cfg.Endpoints,
		DialKeepAliveTime:    10 * time.Second, // the least that gRPC allows
		DialKeepAliveTimeout: 2 * time.Second,
		Logger:               zap.NewNop(), // the caller is told of every error
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
			// gRPC's own pauses grow to two minutes; a server is back sooner.
			grpc.WithConnectParams(grpc.ConnectParams{
				MinConnectTimeout: time.Second,
				Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
			}),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("etcd client: %w", err)
	}
	return &server{cfg: cfg, etcd: c}, nil
}

// Close drops the connections. What the client holds ends with its lease.
func (s *server) Close() error {
	if err := s.etcd.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close etcd client: %w", err)
	}
	return nil
}

// owner makes an owner value that nobody ever used.
func (s *server) owner() string { return attempt.Owner(s.cfg.Owner) }

// prefix begins the keys of a lock.
func prefix(name string) string { return locks.Key("lock/", name) + "/" }

// graced returns a context that outlives the caller's by the grace.
func (s *server) graced(ctx context.Context) (context.Context, context.CancelFunc) {
	return attempt.Graced(ctx, s.cfg.Clock, s.cfg.Grace)
}

// pause waits for d or until ctx is done.
func (s *server) pause(ctx context.Context, d time.Duration) {
	attempt.Wait(ctx.Done(), s.cfg.Clock, d)
}

// retry is the pause after a request that did not get through.
const retry = 20 * time.Millisecond
