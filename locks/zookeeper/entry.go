package zookeeper

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// root is the parent of all locks without a prefix. A prefix begins with a slash.
const root = "/lock"

// rootOf returns the parent of a lock.
func rootOf(name string) string {
	prefix, _ := locks.SplitName(name)
	return prefix + root
}

// nodeOf returns the node of a lock.
func nodeOf(name string) string {
	_, bare := locks.SplitName(name)
	return rootOf(name) + "/" + url.PathEscape(bare)
}

// An entry is a place in the queue for a lock: a node of a session.
type entry struct {
	s      *session
	root   string
	parent string
	// id is the start of the node's name, with a mark for the kind of request.
	id    string
	owner string
	// path is "" until the node is known to exist.
	path string
	// glanced receives the queue that was requested while the node was created; nil if none was.
	glanced <-chan queue
}

// newEntry makes an entry that has no node yet. The random part of its name finds the node again
// after an unanswered request.
func newEntry(s *session, name, mark, owner string) *entry {
	return &entry{s: s, root: rootOf(name), parent: nodeOf(name), id: rand.Text() + mark, owner: owner}
}

// name returns the name of the node, without its parent.
func (e *entry) name() string { return strings.TrimPrefix(e.path, e.parent+"/") }

// lostReply reports whether an error leaves the outcome of a request unknown.
func lostReply(err error) bool {
	return errors.Is(err, zk.ErrConnectionClosed) || errors.Is(err, zk.ErrSessionMoved) || errors.Is(err, zk.ErrNoServer)
}

// everybody grants all permissions to all clients, because a lock protects no secrets.
func everybody() []zk.ACL { return zk.WorldACL(zk.PermAll) }

// create puts the node into the queue. If the reply is lost, it looks for the node before it tries
// again.
func (e *entry) create(ctx context.Context) error {
	for {
		path, err := call(ctx, e.s, func() (string, error) {
			e.glance()
			return e.s.conn.Create(e.parent+"/"+e.id+"-", []byte(e.owner), zk.FlagEphemeral|zk.FlagSequence, everybody())
		})
		switch {
		case errors.Is(err, zk.ErrNoNode):
			err = e.createParents(ctx)
			if lostReply(err) {
				e.s.wait(retry)
				err = nil
			}
			if err != nil {
				return err
			}
			continue
		case lostReply(err):
			path, err = e.find(ctx)
			if err == nil && path == "" {
				continue
			}
		}
		if err != nil {
			return err
		}
		e.path = path
		return nil
	}
}

// createParents creates the nodes above the entry. The servers remove a container that has been
// empty for a while.
func (e *entry) createParents(ctx context.Context) error {
	_, err := call(ctx, e.s, func() (string, error) {
		return e.s.conn.Create(e.root, nil, 0, everybody())
	})
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	_, err = call(ctx, e.s, func() (string, error) {
		return e.s.conn.CreateContainer(e.parent, nil, zk.FlagContainer, everybody())
	})
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	return nil
}

// find looks for a node whose creation was not answered; "" means that it does not exist and never
// will. The sync makes the queried server catch up with the leader, and invalidates requests that a
// former connection of the session may still send.
func (e *entry) find(ctx context.Context) (string, error) {
	for {
		names, err := call(ctx, e.s, func() ([]string, error) {
			if _, err := e.s.conn.Sync(e.root); err != nil {
				return nil, err
			}
			names, _, err := e.s.conn.Children(e.parent)
			return names, err
		})
		switch {
		case lostReply(err):
			e.s.wait(retry)
			continue
		case errors.Is(err, zk.ErrNoNode):
			return "", nil
		case err != nil:
			return "", err
		}
		for _, n := range names {
			if strings.HasPrefix(n, e.id) {
				return e.parent + "/" + n, nil
			}
		}
		return "", nil
	}
}

// remove removes the node from the queue. Its error wraps locks.ErrNotHeld if the node was gone
// already. If an unanswered try of this call may have removed it, remove succeeds.
func (e *entry) remove(ctx context.Context) error {
	unanswered := false
	for {
		_, err := call(ctx, e.s, func() (struct{}, error) {
			return struct{}{}, e.s.conn.Delete(e.path, -1)
		})
		switch {
		case err == nil, errors.Is(err, zk.ErrNoNode) && unanswered:
			return nil
		case errors.Is(err, zk.ErrNoNode):
			return fmt.Errorf("%w: own node is gone", locks.ErrNotHeld)
		case !lostReply(err):
			return err
		}
		unanswered = true
		e.s.wait(retry)
	}
}

// order sorts the names of nodes in the order of the queue.
func order(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(sequence(a), sequence(b)) })
	return names
}

// sequence returns the ten-digit number that the server has appended to a name.
func sequence(name string) string { return name[max(0, len(name)-10):] }
