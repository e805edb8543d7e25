// Package zookeeper holds locks on ZooKeeper. Each file is one algorithm; its doc comment states
// what it does not promise.
//
// A lock named N is the container node /lock/N. Each client that requests it has an ephemeral
// sequential node there with the owner as its data. The node's name begins with a unique value, so
// that the client finds it if the reply to its creation is lost. Owner values begin with
// Config.Owner and are unique to one grant.
package zookeeper

import (
	"context"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the addresses of the servers and the settings of a client. Only Endpoints is
// required.
type Config struct {
	// Endpoints lists the host:port of every server.
	Endpoints []string
	// TTL is the session's timeout. The servers limit it from below and above. Default 2 s.
	TTL time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string
	// Grace is the time for which the client still waits for a request in progress once the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	Rand  *mrand.Rand // source of a session's first server; default: seeded by the system
}

// withDefaults fills in the defaults that the documentation of Config names.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.Grace = attempt.OrElse(c.Grace, 500*time.Millisecond)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// A client is one client of the servers. It has one session at a time.
type client struct {
	cfg      Config
	sessions *attempt.Sessions[*session]
}

// newClient makes a client that opens a session at its first lock, and again after a loss.
func newClient(cfg Config) *client {
	cfg = cfg.withDefaults()
	open := func(ctx context.Context) (*session, error) {
		s, err := openSession(ctx, cfg)
		if err != nil {
			return nil, fmt.Errorf("open a session: %w", err)
		}
		return s, nil
	}
	return &client{cfg: cfg, sessions: attempt.NewSessions(open, (*session).crash)}
}

// Close drops the connection. The session ends when its timeout is over.
func (c *client) Close() error {
	c.sessions.Close()
	return nil
}

// owner returns an owner value that was never used before.
func (c *client) owner() string { return attempt.Owner(c.cfg.Owner) }

// graced returns a context that outlives the caller's by the grace.
func (c *client) graced(ctx context.Context) (context.Context, context.CancelFunc) {
	return attempt.Graced(ctx, c.cfg.Clock, c.cfg.Grace)
}
