// Package etcd holds locks on etcd. Each file is one algorithm; its doc comment says what the
// algorithm does not promise.
//
// The lock named N uses the keys below "lock/N/". Each key belongs to an etcd lease and
// disappears with it. Owner values begin with Config.Owner and are unique to one grant.
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

// A Config holds the addresses of the servers and the settings of a client. Only Endpoints is
// required.
type Config struct {
	// Endpoints lists the host:port of each server.
	Endpoints []string
	// TTL is the TTL of a lease. It is rounded up to whole seconds, at least 1 s, because etcd
	// has no shorter leases; etcd may grant a longer one. Default 2 s.
	TTL time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string
	// Timeout bounds the wait for the answer to one request, which then goes to another server.
	// Default TTL/4.
	Timeout time.Duration
	// Grace is the time for which the client still waits for a request in progress once the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
}

// withDefaults fills in the zero fields and rounds the TTL to one that etcd can grant.
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

// freeWithin returns the time after which the lock of a dead holder is free: the TTL plus the time
// that etcd adds. etcd looks for expired leases twice a second, and gives all leases a new TTL when
// its leader changes.
func freeWithin(ttl time.Duration) time.Duration {
	return Config{TTL: ttl}.withDefaults().TTL + 2*time.Second
}

// loginTime limits the login to servers that require one.
const loginTime = 5 * time.Second

// A server holds the connections of one client.
type server struct {
	cfg  Config
	etcd *clientv3.Client
}

// newServer makes the client of the servers. It limits the pauses between reconnections, so that a
// restarted server is used soon.
func newServer(cfg Config) (*server, error) {
	cfg = cfg.withDefaults()
	dial := cfg.Dial
	user, password := cfg.Access.Login()
	c, err := clientv3.New(clientv3.Config{
		Username: user, Password: password, DialTimeout: loginTime,
		Endpoints:            cfg.Endpoints,
		DialKeepAliveTime:    10 * time.Second, // the least that gRPC allows
		DialKeepAliveTimeout: 2 * time.Second,
		Logger:               zap.NewNop(), // each error is also returned to the caller
		DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return dial(ctx, "tcp", addr) }),
			// gRPC's own back-off grows to two minutes, long after a server is back.
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

// Close drops the connections. The client's keys disappear when its lease expires.
func (s *server) Close() error {
	if err := s.etcd.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close etcd client: %w", err)
	}
	return nil
}

// owner returns an owner value that was never used before.
func (s *server) owner() string { return attempt.Owner(s.cfg.Owner) }

// prefix returns the common prefix of a lock's keys.
func prefix(name string) string { return locks.Key("lock/", name) + "/" }

// graced returns a context that outlives the caller's by the grace.
func (s *server) graced(ctx context.Context) (context.Context, context.CancelFunc) {
	return attempt.Graced(ctx, s.cfg.Clock, s.cfg.Grace)
}

// pause waits for d or until ctx is done.
func (s *server) pause(ctx context.Context, d time.Duration) {
	attempt.Wait(ctx.Done(), s.cfg.Clock, d)
}

// retry is the pause after a request that was not answered.
const retry = 20 * time.Millisecond
