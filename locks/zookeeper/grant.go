package zookeeper

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A strategy waits until the entry is the first of its queue, and returns the view that shows it.
type strategy func(ctx context.Context, e *entry) (view, error)

// take enters the queue of a lock and waits with a strategy.
func (c *client) take(ctx context.Context, name string, wait strategy) (*grant, error) {
	return c.takeMarked(ctx, name, "", wait)
}

// takeMarked enters the queue with a node whose name shows the kind of request.
func (c *client) takeMarked(ctx context.Context, name, mark string, wait strategy) (*grant, error) {
	return c.takeAs(ctx, name, mark, c.owner(), wait)
}

// takeAs enters the queue with a given mark and the given data of the node.
func (c *client) takeAs(ctx context.Context, name, mark, owner string, wait strategy) (*grant, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	s, err := c.sessions.Open(ctx)
	if err != nil {
		// No node was requested; a session that the client never received holds nothing.
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	e := newEntry(s, name, mark, owner)
	graced, cancel := c.graced(ctx)
	defer cancel()
	if err := e.create(graced); err != nil {
		return nil, e.doubt(err)
	}
	v, err := wait(ctx, e)
	if err == nil && s.Over() {
		err = errOver
	}
	if err == nil {
		return newGrant(c, e, v), nil
	}
	if errors.Is(err, locks.ErrNotAcquired) && !errors.Is(err, errTaken) {
		return nil, err
	}
	if rerr := e.remove(graced); rerr != nil && !errors.Is(rerr, locks.ErrNotHeld) {
		return nil, e.doubt(fmt.Errorf("%w, and then %w", err, rerr))
	}
	return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}

// doubt ends the session of an entry that may be left behind. It does so even if a server
// answered that the session has expired, because the leader may fall before the expiry is
// committed.
func (e *entry) doubt(err error) error {
	e.s.end()
	return attempt.Unanswered(err)
}

// A grant is an entry that is the first of its queue.
type grant struct {
	client *client
	entry  *entry
	token  uint64
	attempt.Loss
}

// newGrant makes a grant and registers it with the session, whose end ends the grant.
func newGrant(c *client, e *entry, v view) *grant {
	g := &grant{client: c, entry: e, token: v.token, Loss: attempt.NewLoss()}
	e.s.hold(g)
	return g
}

// confirm checks whether the node still exists, and reports the loss if not.
func (g *grant) confirm(ctx context.Context) (bool, error) {
	s := g.entry.s
	for {
		there, err := call(ctx, s, func() (bool, error) {
			there, _, err := s.conn.Exists(g.entry.path)
			return there, err
		})
		switch {
		case s.Over():
			return false, nil
		case err == nil && !there:
			g.Lose()
			return false, nil
		case !lostReply(err):
			return there, err
		}
		s.wait(retry)
	}
}

// release removes the node.
func (g *grant) release(ctx context.Context) error {
	if !g.Finish() {
		return locks.ErrNotHeld
	}
	g.entry.s.drop(g)
	ctx, cancel := g.client.graced(ctx)
	defer cancel()
	err := g.entry.remove(ctx)
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		g.entry.s.end() // the node must not outlive the session
		return fmt.Errorf("release: %w", err)
	}
	return err
}

// A lease is a grant of one caller. It is lost when the node is gone, or when the session is over
// or may be over.
type lease struct {
	*grant
	// end releases the grant.
	end func(context.Context) error
}

var (
	_ locks.Fenced  = (*lease)(nil)
	_ locks.Watched = (*lease)(nil)
	_ locks.Owned   = (*lease)(nil)
)

// Token returns the zxid of the last change of the queue before the grant, which is the pzxid of
// its parent. For a NoRecheck it is the zxid of the change that created the node.
func (l *lease) Token() uint64 { return l.token }

// Owner returns the data of the node.
func (l *lease) Owner() string { return l.entry.owner }

// Release removes the node, which notifies its watchers.
func (l *lease) Release(ctx context.Context) error { return l.end(ctx) }
