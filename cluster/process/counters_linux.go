package process

import (
	"context"
	"errors"
	"fmt"
)

// errNotRedis is returned for servers other than Redis.
var errNotRedis = errors.New("only Redis reports it")

// Memory returns the bytes that a Redis has allocated for itself and its data.
func (n *Node) Memory(ctx context.Context) (int64, error) {
	if r, ok := n.kind.(redisServer); ok {
		return r.Redis.Memory(ctx, n.Addr())
	}
	return 0, fmt.Errorf("memory of %s: %w", n.Name(), errNotRedis)
}

// Commands returns the number of commands that a Redis has processed since its start, including the
// commands of this method.
func (n *Node) Commands(ctx context.Context) (int64, error) {
	if r, ok := n.kind.(redisServer); ok {
		return r.Redis.Commands(ctx, n.Addr())
	}
	return 0, fmt.Errorf("commands of %s: %w", n.Name(), errNotRedis)
}
