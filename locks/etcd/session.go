package etcd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktorture/locks"
)

// A session is a lease that is kept alive. It is over when the servers say
// so, and also when a TTL has passed since the last renewal that was answered
// was sent: a client that is cut off must not go on believing.
type session struct {
	server *server
	granted
	alive context.Context // done when it is over
	over  context.CancelFunc
	ended sync.Once
	gone  atomic.Bool // the servers said that it is over: all its keys are gone
	slots slots

	mu    sync.Mutex
	heard time.Time // when the last renewal that was answered was sent
}

func newSession(s *server, g granted) *session {
	n := &session{server: s, granted: g, heard: g.start}
	n.alive, n.over = context.WithCancel(context.Background())
	go n.beat()
	go n.guard()
	return n
}

// beat renews the lease three times in a TTL.
func (n *session) beat() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	n.server.pause(ctx, n.ttl/3)
	for !n.isOver() {
		start := n.server.cfg.Clock.Now()
		rctx, cancel := context.WithTimeout(ctx, n.server.cfg.Timeout)
		_, err := n.server.etcd.KeepAliveOnce(rctx, n.id)
		cancel()
		switch {
		case err == nil:
			n.mu.Lock()
			n.heard = start
			n.mu.Unlock()
			n.server.pause(ctx, n.ttl/3)
		case errors.Is(err, rpctypes.ErrLeaseNotFound):
			n.expire()
		default:
			n.server.pause(ctx, retry)
		}
	}
}

// guard ends the session when the servers may.
func (n *session) guard() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	for !n.isOver() {
		n.mu.Lock()
		left := n.heard.Add(n.ttl).Sub(n.server.cfg.Clock.Now())
		n.mu.Unlock()
		if left <= 0 {
			n.end()
			return
		}
		n.server.pause(ctx, left)
	}
}

// context returns a context that also ends with the session.
func (n *session) context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(n.alive, cancel)
	return ctx, func() { stop(); cancel() }
}

func (n *session) isOver() bool { return n.alive.Err() != nil }

// stop ends the session on the client's side only, as a crash would.
func (n *session) stop() { n.ended.Do(n.over) }

// expire ends it after the servers have.
func (n *session) expire() {
	n.gone.Store(true)
	n.stop()
}

// end ends it and revokes the lease, and with it whatever was or will be put
// under it; if that reaches no server in a TTL the lease has ended by itself.
func (n *session) end() {
	n.ended.Do(func() {
		n.over()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), n.ttl)
			defer cancel()
			_, _ = n.server.revoke(ctx, n.id)
		}()
	})
}

// A sessions is a client that has one session at a time, opened when it is
// first needed; one that was left in doubt is never used again.
type sessions struct {
	*server
	opening chan struct{} // held by who opens a session

	mu      sync.Mutex
	session *session // nil: none yet
	closed  bool
}

func newSessions(cfg Config) (*sessions, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	return &sessions{server: s, opening: make(chan struct{}, 1)}, nil
}

// live returns the session if it is not over.
func (c *sessions) live() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil || c.session.isOver() {
		return nil
	}
	return c.session
}

// open returns the session, or makes one.
func (c *sessions) open(ctx context.Context) (*session, error) {
	if n := c.live(); n != nil {
		return n, nil
	}
	select {
	case c.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-c.opening }()
	if n := c.live(); n != nil {
		return n, nil // somebody else has opened one
	}
	g, err := c.grant(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, locks.ErrNotAcquired
	}
	c.session = newSession(c.server, g)
	return c.session, nil
}

// Close drops the connections. The session ends when its TTL is over.
func (c *sessions) Close() error {
	c.mu.Lock()
	c.closed = true
	if c.session != nil {
		c.session.stop()
	}
	c.mu.Unlock()
	return c.server.Close()
}
