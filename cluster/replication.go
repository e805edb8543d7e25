package cluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A replicationState is the replication status that a Redis reports.
type replicationState struct {
	master string // host:port of its primary; "" for a primary
	up     bool   // the replica is connected to its primary
	offset int64  // offset of its own data
}

// redisClient returns a client of the server itself, without retries.
func redisClient(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		ContextTimeoutEnabled: true,
	})
}

// replication asks a Redis for its replication status.
func replication(ctx context.Context, addr string) (replicationState, error) {
	c := redisClient(addr)
	defer c.Close()
	text, err := c.Info(ctx, "replication").Result()
	if err != nil {
		return replicationState{}, fmt.Errorf("ask %s for its replication: %w", addr, err)
	}
	f := fields(text)
	field := "master_repl_offset"
	var s replicationState
	if f["role"] == "slave" {
		field = "slave_repl_offset"
		s.master = net.JoinHostPort(f["master_host"], f["master_port"])
		s.up = f["master_link_status"] == "up" && f["master_sync_in_progress"] == "0"
	}
	if s.offset, err = strconv.ParseInt(f[field], 10, 64); err != nil {
		return s, fmt.Errorf("ask %s for its replication: %w", addr, err)
	}
	return s, nil
}

// fields parses the text of INFO.
func fields(text string) map[string]string {
	f := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			f[k] = v
		}
	}
	return f
}

// synced reports whether a replica follows a primary through a link and has all its data. If one of
// them is unreachable, it returns false and the error.
func synced(ctx context.Context, replica, primary, link string) (bool, error) {
	p, err := replication(ctx, primary)
	if err != nil {
		return false, err
	}
	s, err := replication(ctx, replica)
	if err != nil {
		return false, err
	}
	return s.master == link && s.up && s.offset >= p.offset, nil
}

// acknowledged waits until n replicas have acknowledged a message that a primary sends them now. A
// replica that has just synchronized is connected and has all data, but receives new data only
// after its first report to the primary, up to a second later. A message without subscribers is
// replicated and changes no data.
func acknowledged(ctx context.Context, primary string, n int) error {
	client := redisClient(primary)
	defer client.Close()
	c := client.Conn() // WAIT counts only writes of its own connection
	defer c.Close()
	if err := c.Process(ctx, redis.NewCmd(ctx, "PUBLISH", "torture:sync", "")); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return poll(ctx, replicaPoll, func() (bool, error) {
		got, err := c.Wait(ctx, n, 100*time.Millisecond).Result()
		return got >= int64(n), err
	})
}

// follow makes a Redis a replica.
func follow(ctx context.Context, addr, primary string) error {
	host, port, err := net.SplitHostPort(primary)
	if err != nil {
		return err
	}
	c := redisClient(addr)
	defer c.Close()
	if err := c.ReplicaOf(ctx, host, port).Err(); err != nil {
		return fmt.Errorf("make %s a replica: %w", addr, err)
	}
	return nil
}

// promote makes a replica a primary and returns once it accepts a write (one that changes no data).
func promote(ctx context.Context, addr string) error {
	c := redisClient(addr)
	defer c.Close()
	if err := c.ReplicaOf(ctx, "NO", "ONE").Err(); err != nil {
		return fmt.Errorf("promote: %w", err)
	}
	if err := c.Del(ctx, "torture:no-such-key").Err(); err != nil {
		return fmt.Errorf("write to what was promoted: %w", err)
	}
	return nil
}
