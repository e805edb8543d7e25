package process

import (
	"context"
	"fmt"
	"strconv"
)

// Memory returns the bytes that a Redis has allocated for itself and its data.
func (n *Node) Memory(ctx context.Context) (int64, error) {
	return n.counter(ctx, "memory", "used_memory")
}

// Commands returns the number of commands that a Redis has processed since its
// start, questions of this kind included.
func (n *Node) Commands(ctx context.Context) (int64, error) {
	return n.counter(ctx, "stats", "total_commands_processed")
}

// counter returns a figure of Redis' INFO.
func (n *Node) counter(ctx context.Context, section, field string) (int64, error) {
	if _, ok := n.server.(redisServer); !ok {
		return 0, fmt.Errorf("%s of %s: only Redis tells", field, n.Name())
	}
	info, err := redisInfo(ctx, n.Addr(), section)
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", field, n.Name(), err)
	}
	v, err := strconv.ParseInt(info[field], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", field, n.Name(), err)
	}
	return v, nil
}
