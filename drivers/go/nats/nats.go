package main

import (
	"context"
	"fmt"
	mrand "math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/nats"
)

// A Config says where the servers are and how a client uses them. Only Endpoints is needed.
type Config struct {
	Endpoints []string // host:port of every server
	Bucket    string   // made if it is missing; default "locks"
	Replicas  int      // of the bucket; default 3
	// TTL is rounded up to whole seconds, at least one: JetStream knows no shorter ones.
	TTL   time.Duration
	Owner string // prefix of every owner value

	// Retry is the shortest pause between two tries of a waiter; the longest is twice that.
	// Default 10 ms.
	Retry time.Duration
	// Timeout bounds the wait for the answer to one request. Default 1 s.
	Timeout time.Duration
	// Grace is by how much a request may outlive the caller's deadline, so that its outcome is
	// known. Default 100 ms.
	Grace time.Duration

	Clock locks.Clock // default: the host's
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	Rand  *mrand.Rand // of the pauses; default: seeded by the system
}

func (c Config) withDefaults() Config {
	c.TTL = nats.WholeSeconds(c.TTL)
	c.Retry = attempt.OrElse(c.Retry, 10*time.Millisecond)
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	if c.Replicas == 0 {
		c.Replicas = 3
	}
	if c.Bucket == "" {
		c.Bucket = nats.Bucket
	}
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	return c
}

// A client is what the locks of this package have in common: one connection, made when it is
// first needed, which goes on to another server by itself.
type client struct {
	cfg   Config
	terms *attempt.Terms

	mu     sync.Mutex
	conn   *natsgo.Conn // nil: not connected yet
	closed bool
}

func newClient(cfg Config) *client {
	cfg = cfg.withDefaults()
	c := &client{cfg: cfg}
	c.terms = &attempt.Terms{
		Timeout: cfg.Timeout, Grace: cfg.Grace, Certain: certain, Clock: cfg.Clock,
		Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand), Connect: c.connect,
	}
	return c
}

const (
	reconnect = 50 * time.Millisecond  // between two tries to connect
	silence   = 500 * time.Millisecond // after which a server is asked whether it is there
)

// connect makes the connection and the bucket, if there is none.
func (c *client) connect(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return attempt.ErrClosed
	case c.conn != nil:
		return nil
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	if err := c.bucket(ctx, conn); err != nil {
		conn.Close()
		return err
	}
	c.conn = conn
	return nil
}

// dial connects to the first server that lets it in. Nothing is kept to be sent once it is
// connected again: a request that could not be sent was not.
func (c *client) dial(ctx context.Context) (*natsgo.Conn, error) {
	conn, err := natsgo.Connect("nats://"+strings.Join(c.cfg.Endpoints, ",nats://"),
		natsgo.SetCustomDialer(dialer{context.WithoutCancel(ctx), c.cfg}), natsgo.Timeout(c.cfg.Timeout), natsgo.DontRandomize(),
		natsgo.IgnoreDiscoveredServers(), natsgo.MaxReconnects(-1), natsgo.ReconnectWait(reconnect), natsgo.ReconnectBufSize(-1),
		natsgo.PingInterval(silence), natsgo.MaxPingsOutstanding(1),
		natsgo.ErrorHandler(func(*natsgo.Conn, *natsgo.Subscription, error) {}), // else it prints them
	)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}

// A dialer dials for the library.
type dialer struct {
	ctx context.Context
	cfg Config
}

// Dial connects within the time of a request.
func (d dialer) Dial(network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.ctx, d.cfg.Timeout)
	defer cancel()
	return d.cfg.Dial(ctx, network, addr)
}

// live returns the connection. Only what follows a grant asks for it.
func (c *client) live() (*natsgo.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || c.closed {
		return nil, attempt.ErrClosed
	}
	return c.conn, nil
}

// Close drops the connection.
func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.conn != nil {
		c.conn.Close()
	}
	return nil
}
