package raw

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"net"

	goredis "github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"locktorture/locks"
	"locktorture/locks/redis"
)

//go:embed release.lua
var releaseSource string

var release = goredis.NewScript(releaseSource)

// A command is sent to one Redis.
type command func(ctx context.Context, rdb goredis.UniversalClient, cfg Config, key, value string) error

// scripted are the requests of one of our algorithms.
func scripted(b redis.Bare) (take, free command) {
	take = func(ctx context.Context, rdb goredis.UniversalClient, cfg Config, key, value string) error {
		granted, err := b.Take(ctx, rdb, key, value, cfg.TTL)
		if err == nil && !granted {
			err = errTaken
		}
		return err
	}
	free = func(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, value string) error {
		return b.Free(ctx, rdb, key, value)
	}
	return take, free
}

// setCount makes a latch for one party.
func setCount(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, _ string) error {
	return rdb.Set(ctx, key, 1, 0).Err()
}

// countDown opens it, and passes.
func countDown(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, _ string) error {
	n, err := rdb.Decr(ctx, key).Result()
	if err == nil && n != 0 {
		err = errTaken
	}
	return errors.Join(err, rdb.Del(ctx, key).Err())
}

func setNXPX(ctx context.Context, rdb goredis.UniversalClient, cfg Config, key, value string) error {
	return took(rdb.Do(ctx, "SET", key, value, "NX", "PX", cfg.TTL.Milliseconds()).Err())
}

func setNX(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, value string) error {
	n, err := rdb.Do(ctx, "SETNX", key, value).Int()
	if err == nil && n == 0 {
		err = errTaken
	}
	return err
}

func evalDelete(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, value string) error {
	return release.Run(ctx, rdb, []string{key}, value).Err()
}

func plainDelete(ctx context.Context, rdb goredis.UniversalClient, _ Config, key, _ string) error {
	return rdb.Del(ctx, key).Err()
}

func took(err error) error {
	if errors.Is(err, goredis.Nil) {
		return errTaken
	}
	return err
}

// options returns the settings of a client without retries and without its own handshake.
func options(addr string) *goredis.Options {
	return &goredis.Options{Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1}
}

func keyOf(name string) string { return "bare:" + name }

// openRedis makes two commands a pair.
func openRedis(take, free command) func(context.Context, Config) (locks.Locker, error) {
	return func(_ context.Context, cfg Config) (locks.Locker, error) {
		return overRedis(goredis.NewClient(options(cfg.Endpoints[0])), cfg, take, free), nil
	}
}

func overRedis(rdb goredis.UniversalClient, cfg Config, take, free command) pair {
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key, value := keyOf(name), rand.Text()
			if err := take(ctx, rdb, cfg, key, value); err != nil {
				return nil, err
			}
			return func(ctx context.Context) error { return free(ctx, rdb, cfg, key, value) }, nil
		},
		close: rdb.Close,
	}
}

// A routed is the servers that announce another address than the one to dial.
type routed struct {
	of   map[string][]string // announced addresses by kind
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// routes reads endpoints "KIND@ANNOUNCED=DIAL".
func routes(endpoints []string) (routed, error) {
	list, err := redis.ParseRoutes(endpoints)
	if err != nil {
		return routed{}, err
	}
	to, of := map[string]string{}, map[string][]string{}
	for _, r := range list {
		to[r.Announced] = r.Dial
		of[r.Kind] = append(of[r.Kind], r.Announced)
	}
	return routed{of, func(ctx context.Context, network, addr string) (net.Conn, error) {
		if d, ok := to[addr]; ok {
			addr = d
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}, nil
}

func openRedisCluster(_ context.Context, cfg Config) (locks.Locker, error) {
	r, err := routes(cfg.Endpoints)
	if err != nil {
		return nil, err
	}
	rdb := goredis.NewClusterClient(&goredis.ClusterOptions{Addrs: r.of["redis"], Dialer: r.dial, Protocol: 2, DisableIdentity: true})
	return overRedis(rdb, cfg, setNXPX, evalDelete), nil
}

// openRedisSentinel asks the first Sentinel that answers for the primary that it
// watches.
func openRedisSentinel(ctx context.Context, cfg Config) (locks.Locker, error) {
	r, err := routes(cfg.Endpoints)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, addr := range r.of["sentinel"] {
		o := options(addr)
		o.Dialer = r.dial
		s := goredis.NewSentinelClient(o)
		watched, err := s.Masters(ctx).Result()
		_ = s.Close()
		if err != nil || len(watched) == 0 {
			errs = append(errs, err)
			continue
		}
		name, err := masterName(watched[0])
		if err != nil {
			return nil, err
		}
		rdb := goredis.NewFailoverClient(&goredis.FailoverOptions{
			MasterName: name, SentinelAddrs: r.of["sentinel"], Dialer: r.dial, Protocol: 2, DisableIdentity: true,
		})
		return overRedis(rdb, cfg, setNXPX, evalDelete), nil
	}
	return nil, errors.Join(append(errs, errors.New("no Sentinel watches a primary"))...)
}

// masterName finds the name in a reply of SENTINEL MASTERS: a list of names and values.
func masterName(fields any) (string, error) {
	list, _ := fields.([]any)
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] == "name" {
			if name, ok := list[i+1].(string); ok {
				return name, nil
			}
		}
	}
	return "", errors.New("a Sentinel does not name what it watches")
}

// openRedisAll sends every command to all nodes at once and waits for all answers.
func openRedisAll(_ context.Context, cfg Config) (locks.Locker, error) {
	var nodes []*goredis.Client
	for _, a := range cfg.Endpoints {
		nodes = append(nodes, goredis.NewClient(options(a)))
	}
	all := func(ctx context.Context, c command, key, value string) error {
		var g errgroup.Group
		for _, n := range nodes {
			g.Go(func() error { return c(ctx, n, cfg, key, value) })
		}
		return g.Wait()
	}
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key, value := keyOf(name), rand.Text()
			if err := all(ctx, setNXPX, key, value); err != nil {
				return nil, err
			}
			return func(ctx context.Context) error { return all(ctx, evalDelete, key, value) }, nil
		},
		close: func() error {
			var errs []error
			for _, n := range nodes {
				errs = append(errs, n.Close())
			}
			return errors.Join(errs...)
		},
	}, nil
}
