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
	// ahead lists the nodes before the entry.
	ahead []string
	// token is the token of a grant in this state.
	token uint64
}

// errGone reports that the entry's own node no longer exists.
var errGone = fmt.Errorf("%w: own node is gone", locks.ErrNotAcquired)

// A queue holds the names of all nodes, with the zxid of the last node that came or went.
type queue struct {
	names []string
	zxid  int64
}

// children reads the queue.
func (e *entry) children() (queue, error) {
	names, stat, err := e.s.conn.Children(e.parent)
	if err != nil {
		return queue{}, err
	}
	return queue{names, stat.Pzxid}, nil
}

// glance requests the queue while the entry's node is being created. The servers execute the
// requests of a session in order, so both together take one round trip. The order of the two is not
// essential, because a queue without the node is ignored.
func (e *entry) glance() {
	seen := make(chan queue, 1)
	e.glanced = seen
	go func() {
		q, _ := e.children() // if there is no answer, look asks again
		seen <- q
	}()
}

// look returns the queue once the node exists. It uses the answer to glance if that contains the
// node.
func (e *entry) look(ctx context.Context) (view, error) {
	glanced := e.glanced
	e.glanced = nil
	return e.before(ctx, func() (queue, error) {
		if glanced != nil {
			q := <-glanced
			glanced = nil
			if slices.Contains(q.names, e.name()) { // otherwise the request came too early
				return q, nil
			}
		}
		return e.children()
	})
}

// again reads the queue once more.
func (e *entry) again(ctx context.Context) (view, error) { return e.before(ctx, e.children) }

// before repeats a query for the queue until it is answered. The zxid of the queue serves as the
// token of a grant: the next grant is seen after this node has gone, which is a later change of the
// queue.
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

// awaitGone waits until a node is gone or has changed. If the watch cannot be set, because the node
// or the connection is gone, it returns at once.
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
