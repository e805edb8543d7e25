//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// A serverQueue is the list of holders and waiters of a lock on the servers: an entry each, the
// oldest first.
type serverQueue interface {
	// entries returns the names of the entries.
	entries(ctx context.Context) ([]string, error)
	// end ends the session of an entry, as an operator could.
	end(ctx context.Context, entry string) error
}

// open returns the list on these servers.
func (q Queue) open() (serverQueue, error) {
	s := q.stage
	kind, _, _ := strings.Cut(s.Servers.cluster.Topology, "-")
	switch kind {
	case "etcd":
		c, err := s.Servers.openEtcd()
		return etcdQueue{c, s.Lock}, err
	case "consul":
		return consulQueue{s.Servers.cluster.Endpoints(0)[0], s.Lock}, nil
	}
	return zooKeeperQueue{s.Servers.cluster.Nodes, s.Lock}, nil
}

// UntilLength waits until this number of clients have an entry in the queue.
func (q Queue) UntilLength(n int) {
	s := q.stage
	if s.over() {
		return
	}
	list, err := q.open()
	if err != nil {
		s.fail(err)
		return
	}
	s.Until(fmt.Sprintf("%d entries are in the queue", n), 4*s.TTL, func(ctx context.Context) (bool, error) {
		entries, err := list.entries(ctx)
		return err == nil && len(entries) == n, err
	})
}

// UntilWatched waits until an entry of the queue is watched: its successor has sent all its
// requests and waits.
func (q Queue) UntilWatched() {
	s := q.stage
	s.Until("an entry of the queue is watched", 4*s.TTL, func(ctx context.Context) (bool, error) {
		var last error
		for _, n := range s.Servers.cluster.Nodes { // each node knows the watches of its own clients
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
func (q Queue) EndSession(c *Client, before int) {
	s := q.stage
	s.step("end the session of "+c.name(), func(ctx context.Context) error {
		list, err := q.open()
		if err != nil {
			return err
		}
		entries, err := list.entries(ctx)
		if err != nil {
			return err
		}
		if len(entries) <= before {
			return fmt.Errorf("the queue has %d entries", len(entries))
		}
		f := s.begin(endSession{}, nemesis.Step{Clients: []int{c.scripted.Number()}}, nil)
		if err := list.end(ctx, entries[before]); err != nil {
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
