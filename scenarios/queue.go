//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// A queue is the server-side list of holders and waiters of a lock: an entry each, the oldest
// first.
type queue interface {
	// entries returns the names of the entries.
	entries(ctx context.Context) ([]string, error)
	// end ends the session of an entry, as an operator could.
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

// UntilQueued waits until this number of clients have an entry in the queue.
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

// UntilWatched waits until an entry of the queue is watched: its successor has sent all its
// requests and waits.
func (s *Stage) UntilWatched() {
	s.Until("an entry of the queue is watched", 4*s.TTL, func(ctx context.Context) (bool, error) {
		var last error
		for _, n := range s.cluster.Nodes { // each node knows the watches of its own clients
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

// EndSession ends a client's session on the servers while its process continues: the session of the
// entry at a position in the queue. It returns when the servers have confirmed that the entry is
// deleted.
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

// An endSession is the fault, in a history, that an operator ended the session of a running client.
type endSession struct{}

// Traits returns the traits for verdicts: the servers have released the client's locks.
func (endSession) Traits() nemesis.Traits {
	return nemesis.Traits{Name: "end-session", About: "an operator ends a client's session on the servers", TakesLocks: true}
}
