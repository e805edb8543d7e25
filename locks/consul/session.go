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

// A session is a session of Consul that is kept alive. It is over when the
// servers say so, and also when a TTL has passed since the last renewal that was answered
// was sent: a client that is cut off must not go on believing.
type session struct {
	agent *agent
	id    string
	over  chan struct{}
	ended sync.Once
	gone  atomic.Bool   // the servers said that it is over: nothing is held under it
	known chan struct{} // closed once they did, or could not be asked
	once  sync.Once

	mu    sync.Mutex
	heard time.Time                // when the last renewal that was answered was sent
	turns map[string]chan struct{} // of this client's callers, by lock
}

// openSession makes a session without health checks: it ends by its TTL only,
// and not because the agent that made it has died.
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

// beat renews the session three times in a TTL.
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

// guard ends the session when the servers may.
func (n *session) guard() {
	ctx, cancel := n.context(context.Background())
	defer cancel()
	for !n.Over() {
		n.mu.Lock()
		left := n.heard.Add(n.agent.cfg.TTL).Sub(n.agent.cfg.Clock.Now())
		n.mu.Unlock()
		if left <= 0 {
			n.end()
			return
		}
		n.agent.pause(ctx, left)
	}
}

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

// Over reports whether it is over for this client.
func (n *session) Over() bool {
	select {
	case <-n.over:
		return true
	default:
		return false
	}
}

// settle notes whether the servers said that it is over.
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

// end ends it and destroys it, so that nothing can be acquired for it any
// more; if that reaches no agent in two TTLs it has ended by itself.
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

// turn waits for the caller's turn at a lock. Consul grants a key again to the
// session that has it, so that callers of one client must wait for each other here.
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

// done gives the turn to the next caller.
func (n *session) done(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	<-n.turns[name]
}
