package consul

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A session is a session of Consul that the client renews. It is over when the servers say so,
// and also one TTL after the client sent its last answered renewal: a client that is cut off
// must not rely on the session for longer.
type session struct {
	agent *agent
	id    string
	over  chan struct{}
	ended sync.Once
	gone  atomic.Bool // the servers have ended it, so it holds nothing
	// known is closed once the servers confirmed the end or could not be reached.
	known chan struct{}
	once  sync.Once

	mu sync.Mutex
	// heard is the time at which the last answered renewal was sent. The session lives at least a
	// TTL from then.
	heard time.Time
	// turns maps the name of a lock to the queue of this client's callers.
	turns map[string]chan struct{}
}

// openSession creates a session without health checks: it ends only by its TTL, and not because its
// agent has died.
func openSession(ctx context.Context, a *agent) (*session, error) {
	start := a.cfg.Clock.Now()
	r, _, err := a.insist(ctx, http.MethodPut, "session/create", map[string]any{
		"Name": a.cfg.Session, "TTL": a.cfg.TTL.String(), "LockDelay": a.cfg.LockDelay.String(),
		"Behavior": "release", "NodeChecks": []string{}, "ServiceChecks": []string{},
	})
	if err == nil {
		err = r.ok()
	}
	if err != nil {
		return nil, err
	}
	n := &session{agent: a, over: make(chan struct{}), known: make(chan struct{}), heard: start, turns: map[string]chan struct{}{}}
	var made struct{ ID string }
	if err := json.Unmarshal(r.body, &made); err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	n.id = made.ID
	go n.beat()
	go n.guard()
	return n, nil
}

// beat renews the session three times per TTL.
func (n *session) beat() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	for {
		n.agent.pause(ctx, n.agent.cfg.TTL/3)
		start := n.agent.cfg.Clock.Now()
		r, _, err := n.agent.insist(ctx, http.MethodPut, "session/renew/"+n.id, nil)
		switch {
		case n.Over():
			return
		case err == nil && r.status == http.StatusNotFound:
			n.settle(true)
			n.stop()
			return
		case err == nil && r.status == http.StatusOK:
			n.mu.Lock()
			n.heard = start
			n.mu.Unlock()
		}
	}
}

// guard ends the session one TTL after its last answered renewal was sent.
func (n *session) guard() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	for !n.Over() {
		left := n.left()
		if left <= 0 {
			n.end()
			return
		}
		n.agent.pause(ctx, left)
	}
}

// left returns the time until the session may have expired.
func (n *session) left() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.heard.Add(n.agent.cfg.TTL).Sub(n.agent.cfg.Clock.Now())
}

// alive reports whether the session cannot have expired yet. It asks the clock, because guard may
// not have run since a pause of the process.
func (n *session) alive() bool { return !n.Over() && n.left() > 0 }

// context returns a context that also ends with the session.
func (n *session) context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-n.over:
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, cancel
}

// Over reports whether the session is over for this client.
func (n *session) Over() bool {
	select {
	case <-n.over:
		return true
	default:
		return false
	}
}

// settle records whether the servers confirmed the end of the session.
func (n *session) settle(gone bool) {
	n.once.Do(func() {
		n.gone.Store(gone)
		close(n.known)
	})
}

// stop ends the session on the client's side only, as a crash would.
func (n *session) stop() {
	n.ended.Do(func() {
		close(n.over)
		n.settle(false)
	})
}

// end ends the session and destroys it on the servers, so that it can no longer acquire anything.
// If no agent is reached within two TTLs, the session has expired there.
func (n *session) end() {
	n.ended.Do(func() {
		close(n.over)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 2*n.agent.cfg.TTL)
			defer cancel()
			r, _, err := n.agent.insist(ctx, http.MethodPut, "session/destroy/"+n.id, nil)
			n.settle(err == nil && r.ok() == nil)
		}()
	})
}

// turn waits for the caller's turn at a lock. Consul grants a key again to the session that holds
// it, so callers within one client must exclude each other here.
func (n *session) turn(ctx context.Context, name string) error {
	n.mu.Lock()
	t := n.turns[name]
	if t == nil {
		t = make(chan struct{}, 1)
		n.turns[name] = t
	}
	n.mu.Unlock()
	select {
	case t <- struct{}{}:
		return nil
	case <-n.over:
		return errOver
	case <-ctx.Done():
		return ctx.Err()
	}
}

// done passes the turn to the next caller.
func (n *session) done(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	<-n.turns[name]
}
