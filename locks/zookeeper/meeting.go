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
	inside  []string // the nodes of those who were let in last; who of them is not there has left
	version int32    // of the data that says so
	there   []string // all nodes, in order

	opened, moved <-chan zk.Event // fire when inside, or there, has changed
}

// look asks for the meeting, and watches it. The data is asked for first: who is inside and
// not there has gone for good, as no node comes twice.
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

// inside are those who were let in with the party and are there.
func (p *party) inside(ctx context.Context) ([]string, error) {
	q, err := insist(ctx, p.s, p.children)
	if errors.Is(err, errGone) {
		return nil, nil
	}
	return among(order(q.names), p.together), err
}

// insist asks until there is an answer. Where there is no barrier the party's own node is
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

// open lets parties in, in one transaction: nothing happens if the meeting is not what was
// seen, or if one of them has gone. Whether it was done the next look tells.
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
