package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// A view is the queue as one entry sees it.
type view struct {
	ahead []string // names of the nodes before it, in order
	token uint64   // of the grant, if there is none
}

// errGone: the entry's own node is not there any more.
var errGone = fmt.Errorf("%w: own node is gone", locks.ErrNotAcquired)

// A queue is the answer to a request for the names of all nodes, with the
// zxid of the last one that came or went.
type queue struct {
	names []string
	zxid  int64
}

// children asks for the queue.
func (e *entry) children() (queue, error) {
	names, stat, err := e.s.conn.Children(e.parent)
	if err != nil {
		return queue{}, err
	}
	return queue{names, stat.Pzxid}, nil
}

// glance asks for the queue while the creation of the entry's node is under way. The servers
// carry out what a session asks in order, so that both take one round trip. Nothing depends
// on which of them is sent first: a queue without the node is no answer.
func (e *entry) glance() {
	seen := make(chan queue, 1)
	e.glanced = seen
	go func() {
		q, _ := e.children() // without an answer it is asked again
		seen <- q
	}()
}

// look asks for the queue, once the node is there. What was asked while it was made will do.
func (e *entry) look(ctx context.Context) (view, error) {
	glanced := e.glanced
	e.glanced = nil
	return e.before(ctx, func() (queue, error) {
		if glanced != nil {
			q := <-glanced
			glanced = nil
			if slices.Contains(q.names, e.name()) { // else it was asked too early
				return q, nil
			}
		}
		return e.children()
	})
}

// again asks for the queue once more.
func (e *entry) again(ctx context.Context) (view, error) { return e.before(ctx, e.children) }

// before asks for the queue until there is an answer. Its zxid is the token of a grant: the
// next one is seen when this one's node has gone, which is a later change of the queue.
func (e *entry) before(ctx context.Context, ask func() (queue, error)) (view, error) {
	for {
		q, err := call(ctx, e.s, ask)
		switch {
		case err == nil:
			names := order(q.names)
			if i := slices.Index(names, e.name()); i >= 0 {
				return view{ahead: names[:i], token: uint64(q.zxid)}, nil
			}
			return view{}, errGone
		case errors.Is(err, zk.ErrNoNode):
			return view{}, errGone
		case !lostReply(err):
			return view{}, err
		}
		e.s.wait(retry)
	}
}

// made returns the czxid of the entry's own node.
func (e *entry) made(ctx context.Context) (uint64, error) {
	for {
		stat, err := call(ctx, e.s, func() (*zk.Stat, error) {
			there, stat, err := e.s.conn.Exists(e.path)
			if err == nil && !there {
				err = errGone
			}
			return stat, err
		})
		switch {
		case err == nil:
			return uint64(stat.Czxid), nil
		case !lostReply(err):
			return 0, err
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
