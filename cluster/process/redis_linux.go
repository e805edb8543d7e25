package process

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/cluster"
)

// redisServer is redis-server. Without further arguments it keeps nothing on
// disk; "--appendonly yes --appendfsync always|everysec|no" makes it.
type redisServer struct{}

var _ clocked = redisServer{}

func (redisServer) find(look lookup) (string, error) { return look.program("redis-server") }

func (redisServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	args := []string{
		"--port", strconv.Itoa(s.Ports[0]), "--bind", "127.0.0.1", "--dir", data,
		"--save", "", "--appendonly", "no", "--protected-mode", "no", "--daemonize", "no",
	}
	return append(args, s.Args...), nil
}

func (redisServer) ready(ctx context.Context, s cluster.Spec) (string, error) {
	// The client library would log that nobody listens yet.
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp4", addrOf(s))
	if err != nil {
		return "", err
	}
	c.Close()
	info, err := redisInfo(ctx, addrOf(s), "server")
	if err != nil {
		return "", err
	}
	loading, err := redisInfo(ctx, addrOf(s), "persistence")
	if err != nil {
		return "", err
	}
	if loading["loading"] != "0" {
		return "", fmt.Errorf("redis is loading its data")
	}
	return "redis " + info["redis_version"], nil
}

func (redisServer) now(ctx context.Context, addr string) (t time.Time, err error) {
	err = withRedis(addr, func(c *redis.Client) error {
		t, err = c.Time(ctx).Result()
		return err
	})
	return t, err
}

// withRedis asks a node over a connection of its own.
func withRedis(addr string, ask func(*redis.Client) error) error {
	c := redis.NewClient(&redis.Options{
		Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1, PoolSize: 1,
		ContextTimeoutEnabled: true,
	})
	defer c.Close()
	return ask(c)
}

// redisInfo returns one section of INFO.
func redisInfo(ctx context.Context, addr, section string) (map[string]string, error) {
	info := map[string]string{}
	err := withRedis(addr, func(c *redis.Client) error {
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
