package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/internal/dial"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A GozkConfig holds the addresses of the ZooKeeper servers and the settings of a client. Only
// Endpoints is required.
type GozkConfig struct {
	// Endpoints lists the host:port of every server.
	Endpoints []string
	// TTL is the timeout of the session. 0 means 2 s.
	TTL time.Duration
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string
	// Access holds the login and the TLS settings. It is nil if the servers require no login.
	Access *locks.Access
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	// Patience is the time for which the client waits for the library once the caller's context has
	// ended, because the library supports no contexts. Default 500 ms.
	Patience time.Duration
	// KeepSession keeps using a session whose Lock has failed, as a program with one session for
	// all its work does. By default such a session is closed, with its node.
	KeepSession bool
}

// A Gozk is the Lock of github.com/go-zookeeper/zk. Each lease has a session of its own, because
// only the end of its session ends a waiting Lock. Sessions that were not ended are reused.
//
// Algorithm: an ephemeral sequential node that watches its predecessor. Source: the library. Clock:
// the ZooKeeper leader's monotonic clock ends the session.
//
// It does not report losses and has no token. An abandoned wait is always in doubt: its session is
// closed, and the library does not report whether that succeeded.
type Gozk struct {
	cfg   GozkConfig
	wires *dial.Wires

	mu   sync.Mutex
	idle []*zk.Conn
}

var _ locks.Locker = (*Gozk)(nil)

// GozkTraits returns the lock's traits.
func GozkTraits() locks.Traits {
	return locks.Traits{
		Fair: true, Wait: "watch", Renews: true, Validity: "session", LeastTTL: time.Second, Model: "lease",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + time.Second },
		Clock:      "the ZooKeeper leader's monotonic clock",
	}
}

// NewGozk returns a client; it connects when it is first used.
func NewGozk(cfg GozkConfig) *Gozk {
	if cfg.TTL <= 0 {
		cfg.TTL = 2 * time.Second
	}
	if cfg.Patience <= 0 {
		cfg.Patience = 500 * time.Millisecond
	}
	if cfg.Dial == nil {
		cfg.Dial = cfg.Access.Dial
	}
	return &Gozk{cfg: cfg, wires: dial.NewWires(cfg.Dial)}
}

// silent is a logger that drops everything, because the library also returns its errors.
type silent struct{}

func (silent) Printf(string, ...any) {}

// session returns an idle session, or makes one.
func (g *Gozk) session(ctx context.Context) (*zk.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.idle); n > 0 {
		c := g.idle[n-1]
		g.idle = g.idle[:n-1]
		return c, nil
	}
	c, _, err := zk.Connect(g.cfg.Endpoints, g.cfg.TTL, zk.WithLogger(silent{}), zk.WithLogInfo(false),
		zk.WithDialer(func(network, addr string, timeout time.Duration) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(context.Background(), timeout)
			defer cancel()
			return g.wires.Dial(ctx, network, addr)
		}))
	if err != nil {
		return nil, err
	}
	if user, password := g.cfg.Access.Login(); user != "" {
		login := func() error { return c.AddAuth("digest", []byte(user+":"+password)) }
		if err := g.within(ctx, login); err != nil {
			go c.Close()
			return nil, fmt.Errorf("log in: %w", err)
		}
	}
	return c, nil
}

// back keeps a session for another lease.
func (g *Gozk) back(c *zk.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.idle = append(g.idle, c)
}

// errNoReturn reports that a call of the library is still running.
var errNoReturn = errors.New("the library did not return")

// within runs a call of the library until ctx has ended and Patience has passed.
func (g *Gozk) within(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	t := time.NewTimer(g.cfg.Patience)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("%w within %v after: %w", errNoReturn, g.cfg.Patience, ctx.Err())
	}
}

// gozkNode returns the node of a lock.
func gozkNode(name string) string {
	prefix, bare := locks.SplitName(name)
	return prefix + "/lock/" + url.PathEscape(bare)
}

// Acquire calls Lock.
func (g *Gozk) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	conn, err := g.session(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	l := &gozkLease{gozk: g, conn: conn, owner: attempt.Owner(g.cfg.Owner)}
	l.lock = zk.NewLock(conn, gozkNode(name), zk.WorldACL(zk.PermAll))
	if err := g.within(ctx, func() error { return l.lock.LockWithData([]byte(l.owner)) }); err != nil {
		if g.cfg.KeepSession && !errors.Is(err, errNoReturn) {
			g.back(conn)
		} else {
			go conn.Close() // its node, if there is one, ends with the session
		}
		return nil, fmt.Errorf("acquire: %w", err)
	}
	return l, nil
}

// Close drops the connections. The sessions end when their timeout is over.
func (g *Gozk) Close() error {
	g.wires.Cut()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.idle {
		go c.Close()
	}
	g.idle = nil
	return nil
}

// A gozkLease wraps a held Lock.
type gozkLease struct {
	gozk  *Gozk
	conn  *zk.Conn
	lock  *zk.Lock
	owner string

	released atomic.Bool
}

var _ locks.Owned = (*gozkLease)(nil)

// Owner returns the data of the node.
func (l *gozkLease) Owner() string { return l.owner }

// Release calls Unlock, once.
func (l *gozkLease) Release(ctx context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	err := l.gozk.within(ctx, l.lock.Unlock)
	switch {
	case err == nil:
		l.gozk.back(l.conn)
		return nil
	case errors.Is(err, zk.ErrNoNode), errors.Is(err, zk.ErrNotLocked):
		l.gozk.back(l.conn)
		return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	}
	go l.conn.Close()
	return fmt.Errorf("release: %w", err)
}
