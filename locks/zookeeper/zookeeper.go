// Package zookeeper holds locks on ZooKeeper. Each file is one algorithm; what
// it does not promise stands in its doc comment.
//
// A lock named N is the container node /lock/N. Everybody who wants it has an
// ephemeral sequential node there, whose data is the owner and whose name begins
// with a value that nobody else uses, so that it is found again if the reply to its creation
// is lost. Owner values begin with Config.Owner and are unique to one grant.
package zookeeper

import (
	"context"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config says where the servers are and how a client uses them. Only
// Endpoints is needed.
type Config struct {
	Endpoints []string // host:port of every server
	// TTL is the session's time-out. The servers have a least and a most of their own.
	// Default 2 s.
	TTL   time.Duration
	Owner string // begins every owner value
	// Grace is how long the request under way is waited for when the
	// caller's context has ended, so that the outcome is known. Default 500 ms.
	Grace time.Duration

	Access *locks.Access // nil: the servers are open to everybody
	Clock  locks.Clock   // default: the host's
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Rand   *mrand.Rand // of the server that a session begins with; default: seeded by the system
}

func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.Grace = attempt.OrElse(c.Grace, 500*time.Millisecond)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = c.Access.Dial
	}
	return c
}

// errClosed is returned after Close.
var errClosed = errors.New("client is closed")

// A client is one client of the servers. It has one session at a time, opened
// when it is first needed; one that was left in doubt is ended and never used again.
type client struct {
	cfg Config

	opening chan struct{} // held by who opens a session

	mu      sync.Mutex
	session *session // nil: none yet
	closed  bool
}

func newClient(cfg Config) *client {
	return &client{cfg: cfg.withDefaults(), opening: make(chan struct{}, 1)}
}

// live returns the session if it is not over.
func (c *client) live() (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if c.session == nil || c.session.isOver() {
		return nil, nil
	}
	return c.session, nil
}

// open returns the session, or makes one.
func (c *client) open(ctx context.Context) (*session, error) {
	if s, err := c.live(); s != nil || err != nil {
		return s, err
	}
	select {
	case c.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.opening }()
	if s, err := c.live(); s != nil || err != nil {
		return s, err // somebody else has opened one
	}
	s, err := openSession(ctx, c.cfg)
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		s.crash()
		return nil, errClosed
	}
	c.session = s
	return s, nil
}

// Close drops the connection. The session ends when its time-out is over.
func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.session != nil {
		c.session.crash()
	}
	return nil
}

// owner makes an owner value that nobody ever used.
func (c *client) owner() string { return attempt.Owner(c.cfg.Owner) }

// graced returns a context that outlives the caller's by the grace.
func (c *client) graced(ctx context.Context) (context.Context, context.CancelFunc) {
	return attempt.Graced(ctx, c.cfg.Clock, c.cfg.Grace)
}
