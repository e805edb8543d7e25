package etcd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktorture/locks/attempt"
)

// A session is an etcd lease that the client keeps alive. It is over when the servers say so,
// and also one TTL after the client sent its last answered renewal: a client that is cut off
// must not rely on the session for longer.
type session struct {
	server *server
	granted
	alive context.Context // done when the session is over
	over  context.CancelFunc
	ended sync.Once
	gone  atomic.Bool // the servers have ended it, so all its keys are gone
	slots slots

	mu sync.Mutex
	// heard is the time at which the last answered renewal was sent. The session lives at least a
	// TTL from then.
	heard time.Time
}

// newSession starts the renewals of a granted session, and the timer that ends it by the client's
// clock.
func newSession(s *server, g granted) *session {
	n := &session{server: s, granted: g, heard: g.start}
	n.alive, n.over = context.WithCancel(context.Background())
	go n.beat()
	go n.guard()
	return n
}

// beat renews the lease three times per TTL.
func (n *session) beat() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	n.server.pause(ctx, n.ttl/3)
	for !n.Over() {
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

// guard ends the session one TTL after its last answered renewal was sent.
func (n *session) guard() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	for !n.Over() {
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

// Over reports whether the session is over or may be over.
func (n *session) Over() bool { return n.alive.Err() != nil }

// stop ends the session on the client's side only, as a crash would.
func (n *session) stop() { n.ended.Do(n.over) }

// expire ends the session after the servers have ended it.
func (n *session) expire() {
	n.gone.Store(true)
	n.stop()
}

// end ends the session and revokes the lease, and with it every key that was or will be put
// under it. If no server is reached within a TTL, the lease has expired there.
func (n *session) end() {
	n.ended.Do(func() {
		n.over()
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), n.ttl)
			defer cancel()
			_, _, _ = n.server.revoke(ctx, n.id)
		}()
	})
}

// A client holds the connections and the session of one client.
type client struct {
	*server
	sessions *attempt.Sessions[*session]
}

// newClient makes a client that opens a session at its first lock, and again after a loss.
func newClient(cfg Config) (*client, error) {
	s, err := newServer(cfg)
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context) (*session, error) {
		g, err := s.grant(ctx)
		if err != nil {
			return nil, err
		}
		return newSession(s, g), nil
	}
	return &client{server: s, sessions: attempt.NewSessions(open, (*session).stop)}, nil
}

// Close drops the connections. The session ends with its TTL.
func (c *client) Close() error {
	c.sessions.Close()
	return c.server.Close()
}
