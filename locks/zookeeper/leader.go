package zookeeper

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"

	"locktorture/locks"
)

// A Leader is the leader election of ZooKeeper's recipes: each candidate has a node in the queue
// with its value as data. The first node leads, and every other candidate watches the node before
// its own. The term is the czxid of the leader's node, the change that created it, which observers
// see too.
//
// Source: the ZooKeeper Recipes, "Leader Election". Clock: as Lock.
//
// It does not promise that a leader that is paused or cut off stops before its session is over. Two
// campaigns of one client are two candidates. A campaign or a resignation that is left in doubt
// ends the session with all leaderships of the client (Lost is closed for each).
type Leader struct {
	locks.NotExclusive
	*client
}

var (
	_ locks.Locker   = (*Leader)(nil)
	_ locks.Elector  = (*Leader)(nil)
	_ locks.Observer = (*Leader)(nil)
)

// NewLeader returns a client; it connects when it is first used.
func NewLeader(cfg Config) *Leader { return &Leader{client: newClient(cfg)} }

// LeaderTraits returns the election's traits.
func LeaderTraits() locks.Traits {
	t := sessionTraits()
	t.Kind, t.Model, t.Fair, t.Observed = locks.Election, "election", true, true
	return t
}

// Campaign waits until every node before its own is gone. A candidate whose own node is gone
// receives an error.
func (l *Leader) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	return plain(l.takeAs(ctx, name, "", value, elected))
}

// elected waits for the predecessor, and then reads the term.
func elected(ctx context.Context, e *entry) (view, error) {
	v, err := one(ctx, e)
	if err == nil {
		v.token, err = e.made(ctx)
	}
	return v, err
}

// Leader reads the data of the first node. The sync before the read makes the queried server catch
// up with the leader of the servers.
func (l *Leader) Leader(ctx context.Context, name string) (value string, term uint64, err error) {
	s, err := l.sessions.Open(ctx)
	if err != nil {
		return "", 0, err
	}
	parent := nodeOf(name)
	for {
		value, stat, err := foremost(ctx, s, parent)
		switch {
		case err == nil && stat == nil:
			return "", 0, nil
		case err == nil:
			return value, uint64(stat.Czxid), nil
		case !errors.Is(err, zk.ErrNoNode): // otherwise the node has gone meanwhile, and there is another one or none
			return "", 0, err
		}
	}
}

// foremost returns the data of the first node of a queue; the stat is nil if there is none.
func foremost(ctx context.Context, s *session, parent string) (string, *zk.Stat, error) {
	names, err := call(ctx, s, func() ([]string, error) {
		if _, err := s.conn.Sync(parent); err != nil {
			return nil, err
		}
		names, _, err := s.conn.Children(parent)
		if errors.Is(err, zk.ErrNoNode) {
			return nil, nil
		}
		return names, err
	})
	if err != nil || len(names) == 0 {
		return "", nil, err
	}
	type node struct {
		value string
		stat  *zk.Stat
	}
	n, err := call(ctx, s, func() (node, error) {
		data, stat, err := s.conn.Get(parent + "/" + order(names)[0])
		return node{string(data), stat}, err
	})
	return n.value, n.stat, err
}
