//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"

	"locktorture/cluster"
)

// A zooKeeperQueue is the list of nodes of a queue in ZooKeeper, by number.
type zooKeeperQueue struct {
	nodes []cluster.Node
	lock  string
}

// entries returns the paths of the nodes, from the first server that answers.
func (q zooKeeperQueue) entries(ctx context.Context) ([]string, error) {
	var last error
	for _, n := range q.nodes {
		text, err := cluster.AskZooKeeper(ctx, n.Addr(), "dump")
		if err != nil {
			last = err
			continue
		}
		var paths []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, "/"+q.lock+"/") {
				paths = append(paths, strings.TrimSpace(line))
			}
		}
		slices.SortFunc(paths, func(a, b string) int { return strings.Compare(sequence(a), sequence(b)) })
		return paths, nil
	}
	return nil, last
}

// sequence returns the number that the server has appended to a name, ten digits.
func sequence(path string) string { return path[max(0, len(path)-10):] }

// end deletes only the node, because only its client can end a session.
func (q zooKeeperQueue) end(_ context.Context, entry string) error {
	var addrs []string
	for _, n := range q.nodes {
		addrs = append(addrs, n.Addr())
	}
	c, _, err := zk.Connect(addrs, 10*time.Second, zk.WithLogger(silent{}))
	if err != nil {
		return fmt.Errorf("zookeeper client: %w", err)
	}
	defer c.Close()
	return c.Delete(entry, -1)
}

// silent discards the library's log.
type silent struct{}

func (silent) Printf(string, ...any) {}
