package zookeeper

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"
)

// A meeting is a party's view of its barrier.
type meeting struct {
	// inside lists the nodes of the latest parties that were admitted. A party whose node is
	// missing in the field there has left.
	inside []string
	// version is the version of the data that contains inside.
	version int32
	// there lists all nodes in order.
	there []string

	opened, moved <-chan zk.Event // opened fires when inside has changed, moved when there has changed
}

// look reads the meeting and watches it. It reads the data first: a node in inside but not in there
// has gone for good, because no node name occurs twice.
func (p *party) look(ctx context.Context) (meeting, error) {
	return insist(ctx, p.s, func() (meeting, error) {
		data, stat, opened, err := p.s.conn.GetW(p.parent)
		if err != nil {
			return meeting{}, err
		}
		names, _, moved, err := p.s.conn.ChildrenW(p.parent)
		if err != nil {
			return meeting{}, err
		}
		return meeting{strings.Fields(string(data)), stat.Version, order(names), opened, moved}, nil
	})
}

// inside returns the nodes of the parties that entered with this one and are still there.
func (p *party) inside(ctx context.Context) ([]string, error) {
	q, err := insist(ctx, p.s, p.children)
	if errors.Is(err, errGone) {
		return nil, nil
	}
	return among(order(q.names), p.together), err
}

// insist repeats a query until it is answered. If there is no barrier, the party's own node is
// gone, too.
func insist[T any](ctx context.Context, s *session, ask func() (T, error)) (T, error) {
	for {
		answer, err := call(ctx, s, ask)
		switch {
		case errors.Is(err, zk.ErrNoNode):
			return answer, errGone
		case !lostReply(err):
			return answer, err
		}
		s.wait(retry)
	}
}

// among returns the nodes that are also in some.
func among(nodes, some []string) []string {
	return slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return !slices.Contains(some, n) })
}

// open lets parties in, in one transaction: it has no effect if the meeting has changed since, or
// if one of the parties has gone. The next look shows whether it took effect.
func (p *party) open(ctx context.Context, m meeting, parties []string) error {
	var all []any
	for _, n := range parties {
		all = append(all, &zk.CheckVersionRequest{Path: p.parent + "/" + n, Version: -1})
	}
	all = append(all, &zk.SetDataRequest{Path: p.parent, Data: []byte(strings.Join(parties, " ")), Version: m.version})
	_, err := call(ctx, p.s, func() ([]zk.MultiResponse, error) { return p.s.conn.Multi(all...) })
	switch {
	case lostReply(err):
		p.s.wait(retry)
	case err != nil && !errors.Is(err, zk.ErrNoNode) && !errors.Is(err, zk.ErrBadVersion):
		return err
	}
	return nil
}

// awaitEither waits for one of two watches.
func (e *entry) awaitEither(ctx context.Context, a, b <-chan zk.Event) error {
	select {
	case <-a:
		return nil
	case <-b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-e.s.over:
		return errOver
	}
}
