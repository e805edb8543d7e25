//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// A queue is how the servers keep those who hold a lock and those who wait for it: an entry
// each, the oldest first.
type queue interface {
	// entries are the names of the entries.
	entries(ctx context.Context) ([]string, error)
	// end ends the session that an entry belongs to, by the hand of an operator.
	end(ctx context.Context, entry string) error
}

// openQueue returns the queue of the stage's lock.
func (s *Stage) openQueue() (queue, error) {
	kind, _, _ := strings.Cut(s.cluster.Topology, "-")
	switch kind {
	case "etcd":
		c, err := s.openEtcd()
		return etcdQueue{c, s.Lock}, err
	case "consul":
		return consulQueue{s.cluster.Endpoints(0)[0], s.Lock}, nil
	}
	return zooKeeperQueue{s.cluster.Nodes, s.Lock}, nil
}

// UntilQueued waits until so many clients have an entry in the queue.
func (s *Stage) UntilQueued(n int) {
	if s.over() {
		return
	}
	q, err := s.openQueue()
	if err != nil {
		s.fail(err)
		return
	}
	s.Until(fmt.Sprintf("%d entries are in the queue", n), 4*s.TTL, func(ctx context.Context) (bool, error) {
		entries, err := q.entries(ctx)
		return err == nil && len(entries) == n, err
	})
}

// UntilWatched waits until an entry of the queue is watched: whoever stands behind it has
// asked all that it had to ask, and waits.
func (s *Stage) UntilWatched() {
	s.Until("an entry of the queue is watched", 4*s.TTL, func(ctx context.Context) (bool, error) {
		var last error
		for _, n := range s.cluster.Nodes { // each knows the watches of its own clients
			text, err := cluster.AskZooKeeper(ctx, n.Addr(), "wchp")
			if err != nil {
				last = err
			}
			if strings.Contains(text, "/"+s.Lock+"/") {
				return true, nil
			}
		}
		return false, last
	})
}

// EndSession ends a client's session on the servers while its process goes on: the session of
// the entry that has so many before it in the queue. It returns when the servers have said
// that the entry is gone.
func (s *Stage) EndSession(c *Client, before int) {
	s.step("end the session of "+c.name(), func(ctx context.Context) error {
		q, err := s.openQueue()
		if err != nil {
			return err
		}
		entries, err := q.entries(ctx)
		if err != nil {
			return err
		}
		if len(entries) <= before {
			return fmt.Errorf("the queue has %d entries", len(entries))
		}
		f := s.begin(endSession{}, nemesis.Step{Clients: []int{c.scripted.Number()}}, nil)
		if err := q.end(ctx, entries[before]); err != nil {
			return err
		}
		f.strike("the session of " + c.name() + " was ended on the servers")
		return f.mend(ctx)
	})
}

// An endSession is, in a history, that an operator ended the session of a client which goes
// on.
type endSession struct{}

// Traits says what verdicts need: the servers have given up what the client had.
func (endSession) Traits() nemesis.Traits {
	return nemesis.Traits{Name: "end-session", About: "an operator ends a client's session on the servers", TakesLocks: true}
}
