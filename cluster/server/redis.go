package server

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/internal/rediscmd"
)

// Redis is redis-server. It stores data on disk only with the additional arguments
// "--appendonly yes --appendfsync always|everysec|no".
type Redis struct{}

var _ Clocked = Redis{}

// Args returns its arguments; data is its directory.
func (Redis) Args(s cluster.Spec, data string) []string {
	args := []string{
		"--port", strconv.Itoa(s.Ports[0]), "--bind", "127.0.0.1", "--dir", data,
		"--save", "", "--appendonly", "no", "--protected-mode", "no", "--daemonize", "no",
	}
	return append(args, s.Args...)
}

// Ready succeeds only after the server has loaded its data from disk.
func (Redis) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	if err := listens(ctx, Addr(s)); err != nil {
		return "", err
	}
	info, err := redisInfo(ctx, Addr(s), "server")
	if err != nil {
		return "", err
	}
	loading, err := redisInfo(ctx, Addr(s), "persistence")
	if err != nil {
		return "", err
	}
	if loading["loading"] != "0" {
		return "", fmt.Errorf("redis is loading its data")
	}
	return "redis " + info["redis_version"], nil
}

// Now implements Clocked with the command TIME.
func (Redis) Now(ctx context.Context, addr string) (t time.Time, err error) {
	err = withRedis(addr, func(c rediscmd.Client) error {
		t, err = c.Time(ctx).Result()
		return err
	})
	return t, err
}

// Memory returns the bytes that a Redis has allocated for itself and its data.
func (Redis) Memory(ctx context.Context, addr string) (int64, error) {
	return redisCounter(ctx, addr, "memory", "used_memory")
}

// Commands returns the number of commands that a Redis has processed since its start, including the
// commands of this method.
func (Redis) Commands(ctx context.Context, addr string) (int64, error) {
	return redisCounter(ctx, addr, "stats", "total_commands_processed")
}

// redisCounter returns a number from INFO.
func redisCounter(ctx context.Context, addr, section, field string) (int64, error) {
	info, err := redisInfo(ctx, addr, section)
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", field, addr, err)
	}
	v, err := strconv.ParseInt(info[field], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of %s: %w", field, addr, err)
	}
	return v, nil
}

// withRedis calls a function with a connection of its own.
func withRedis(addr string, ask func(rediscmd.Client) error) error {
	c := rediscmd.Open(rediscmd.Server{Addr: addr})
	defer c.Close()
	return ask(c)
}

// redisInfo returns one section of INFO.
func redisInfo(ctx context.Context, addr, section string) (map[string]string, error) {
	info := map[string]string{}
	err := withRedis(addr, func(c rediscmd.Client) error {
		text, err := c.Info(ctx, section).Result()
		for line := range strings.Lines(text) {
			if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				info[k] = v
			}
		}
		return err
	})
	return info, err
}
