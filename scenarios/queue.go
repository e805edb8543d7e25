package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/cluster"
)

// queued counts the entries of the lock's queue in ZooKeeper, by the first
// server that answers.
func (s *Stage) queued(ctx context.Context) (int, error) {
	var last error
	for _, n := range s.cluster.Nodes {
		text, err := cluster.AskZooKeeper(ctx, n.Addr(), "dump")
		if err == nil {
			return strings.Count(text, "/"+s.Lock+"/"), nil
		}
		last = err
	}
	return -1, last
}

// UntilQueued waits until so many clients have an entry in the queue.
func (s *Stage) UntilQueued(n int) {
	s.Until(fmt.Sprintf("%d entries are in the queue", n), 4*s.TTL, func(ctx context.Context) (bool, error) {
		got, err := s.queued(ctx)
		return got == n, err
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
