package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// A view is what an entry sees of its queue.
type view struct {
	ahead []string // names of the nodes before it, in order
	token uint64   // czxid of its own node
}

// errGone: the entry's own node is not there any more.
var errGone = fmt.Errorf("%w: own node is gone", locks.ErrNotAcquired)

// look asks for the queue and for the entry's own node. Both requests are under way at
// the same time, so that they take one round trip.
func (e *entry) look(ctx context.Context) (view, error) {
	for {
		type own struct {
			token uint64
			err   error
		}
		found := make(chan own, 1)
		go func() {
			there, stat, err := e.s.conn.Exists(e.path)
			switch {
			case err != nil:
				found <- own{err: err}
			case !there:
				found <- own{err: errGone}
			default:
				found <- own{token: uint64(stat.Czxid)}
			}
		}()
		ahead, err := e.ahead(ctx)
		if err != nil {
			return view{}, err
		}
		o, err := call(ctx, e.s, func() (own, error) { o := <-found; return o, o.err })
		if !lostReply(err) {
			return view{ahead: ahead, token: o.token}, err
		}
		e.s.wait(retry)
	}
}

// ahead returns the names of the nodes before the entry's own, in order.
func (e *entry) ahead(ctx context.Context) ([]string, error) {
	return e.before(ctx, func() ([]string, error) {
		names, _, err := e.s.conn.Children(e.parent)
		return names, err
	})
}

// before asks for the queue until there is an answer.
func (e *entry) before(ctx context.Context, children func() ([]string, error)) ([]string, error) {
	for {
		names, err := call(ctx, e.s, children)
		switch {
		case err == nil:
			names = order(names)
			if i := slices.Index(names, strings.TrimPrefix(e.path, e.parent+"/")); i >= 0 {
				return names[:i], nil
			}
			return nil, errGone
		case errors.Is(err, zk.ErrNoNode):
			return nil, errGone
		case !lostReply(err):
			return nil, err
		}
		e.s.wait(retry)
	}
}

// awaitGone waits until the node of a name is gone, or has changed. If the watch cannot be
// set, because the node is gone already or the connection is, it does not wait.
func (e *entry) awaitGone(ctx context.Context, name string) error {
	fired, err := call(ctx, e.s, func() (<-chan zk.Event, error) {
		_, _, gone, err := e.s.conn.GetW(e.parent + "/" + name)
		return gone, err
	})
	switch {
	case errors.Is(err, zk.ErrNoNode):
		return nil
	case lostReply(err):
		e.s.wait(retry)
		return nil
	case err != nil:
		return err
	}
	return e.await(ctx, fired)
}

// await waits for a watch.
func (e *entry) await(ctx context.Context, fired <-chan zk.Event) error {
	select {
	case <-fired:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.s.over:
		return errOver
	}
}
