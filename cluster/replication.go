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

// A replicationState is what a Redis tells of its replication.
type replicationState struct {
	master string // host:port that it replicates from; "" if it is a primary
	up     bool   // and is connected to
	offset int64  // of its own data
}

// redisClient asks a server directly, without retries.
func redisClient(addr string) *redis.Client {
	return redis.NewClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		ContextTimeoutEnabled: true,
	})
}

// replication asks a Redis for its state.
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

// fields splits the text of INFO.
func fields(text string) map[string]string {
	f := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			f[k] = v
		}
	}
	return f
}

// synced reports whether a replica follows a primary, through a link, and has
// all of its data. Neither being reachable means that it is not.
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

// acknowledged returns once n replicas have acknowledged something that a
// primary sends them now. One that has just been synced is connected and has
// all data, and still gets nothing until the primary has heard from it, up to a
// second later. A message that nobody listens to is replicated and changes
// nothing.
func acknowledged(ctx context.Context, primary string, n int) error {
	client := redisClient(primary)
	defer client.Close()
	c := client.Conn() // WAIT counts what its own connection has sent
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

// promote makes a replica a primary and returns once it accepts a write (one
// that changes nothing).
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
