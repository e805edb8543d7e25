package external

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"locktorture/internal/rediscmd"
)

// A redis is the client side of one or several Redis servers.
type redis struct{ cfg Config }

func newRedis(cfg Config) service { return &redis{cfg} }

// client returns a client of one server.
func (r *redis) client(addr string, login bool) rediscmd.Client { return r.open(addr, login, 3) }

func (r *redis) open(addr string, login bool, retries int) rediscmd.Client {
	s := rediscmd.Server{Addr: addr, Dial: r.cfg.Dial, Pool: 2, Retries: retries}
	if login {
		s.User, s.Password = r.cfg.User, r.cfg.Password
	}
	return rediscmd.Open(s)
}

// version reads the version from INFO. A sentinel may require no login although its servers do.
func (r *redis) version(ctx context.Context, addr string) (string, error) {
	info, err := r.info(ctx, addr, true)
	if err != nil && strings.Contains(err.Error(), "without any password configured") {
		info, err = r.info(ctx, addr, false)
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(line, "redis_version:"); ok {
			return strings.TrimSpace(v), nil
		}
	}
	return unknown("it is not in INFO"), nil
}

func (r *redis) info(ctx context.Context, addr string, login bool) (string, error) {
	c := r.client(addr, login)
	defer c.Close()
	return c.Info(ctx, "server").Result()
}

func (r *redis) prepare(context.Context) error { return nil }

// sweep removes the keys below the prefix from every primary.
func (r *redis) sweep(ctx context.Context) (int, error) {
	return sumOver(ctx, r.cfg.Endpoints, r.sweepOne)
}

// keys lists the keys below the prefix.
func (r *redis) keys(ctx context.Context, c rediscmd.Client) (keys []string, err error) {
	scan := c.Scan(ctx, 0, r.cfg.Prefix+"*", 1000).Iterator() // a prefix has no wildcards
	for scan.Next(ctx) {
		keys = append(keys, scan.Val())
	}
	return keys, scan.Err()
}

func (r *redis) some(ctx context.Context) (string, error) {
	for _, addr := range r.cfg.Endpoints {
		c := r.client(addr, true)
		keys, err := r.keys(ctx, c)
		c.Close()
		if err != nil || len(keys) > 0 {
			return first(keys), err
		}
	}
	return "", nil
}

func (r *redis) sweepOne(ctx context.Context, addr string) (int, error) {
	c := r.client(addr, true)
	defer c.Close()
	keys, err := r.keys(ctx, c)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, key := range keys { // one by one: in a cluster they are in different slots
		gone, err := c.Del(ctx, key).Result()
		switch {
		case err == nil:
			n += int(gone)
		case strings.HasPrefix(err.Error(), "READONLY"), strings.HasPrefix(err.Error(), "MOVED"):
			// a replica: its primary removes the key
		default:
			return n, err
		}
	}
	return n, nil
}

// SentinelAsks reports whether the sentinels require the login of their servers.
func SentinelAsks(ctx context.Context, cfg Config) bool {
	r := &redis{cfg}
	for _, addr := range cfg.Endpoints {
		c := r.client(addr, false)
		err := c.Ping(ctx).Err()
		c.Close()
		if err != nil && strings.HasPrefix(err.Error(), "NOAUTH") {
			return true
		}
	}
	return false
}

// discoverSentinel asks the sentinels for their servers.
func discoverSentinel(ctx context.Context, cfg Config) ([]server, error) {
	if cfg.Master == "" {
		return nil, errors.New("external: redis-sentinel needs the name by which the sentinels know the primary")
	}
	r, asks := &redis{cfg}, SentinelAsks(ctx, cfg)
	var errs []error
	for _, addr := range cfg.Endpoints {
		c := r.client(addr, asks)
		found, err := ofSentinel(ctx, c, cfg.Master)
		c.Close()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", addr, err))
			continue
		}
		for _, s := range cfg.Endpoints {
			found = append(found, server{"sentinel", s})
		}
		return found, nil
	}
	return nil, fmt.Errorf("external: %w: %w", ErrUnreachable, errors.Join(errs...))
}

func ofSentinel(ctx context.Context, c rediscmd.Client, master string) ([]server, error) {
	primary, err := c.Do(ctx, "SENTINEL", "get-master-addr-by-name", master).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("primary %q: %w", master, err)
	}
	if len(primary) != 2 {
		return nil, fmt.Errorf("primary %q: the sentinel answered %q", master, primary)
	}
	found := []server{{"redis", net.JoinHostPort(primary[0], primary[1])}}
	replicas, err := c.Do(ctx, "SENTINEL", "replicas", master).Slice()
	if err != nil {
		return nil, fmt.Errorf("replicas of %q: %w", master, err)
	}
	for _, r := range replicas {
		fields, _ := r.([]any)
		at := map[string]string{}
		for i := 0; i+1 < len(fields); i += 2 {
			k, _ := fields[i].(string)
			at[k], _ = fields[i+1].(string)
		}
		if at["ip"] != "" {
			found = append(found, server{"redis", net.JoinHostPort(at["ip"], at["port"])})
		}
	}
	return found, nil
}

// discoverCluster asks the nodes of a Redis Cluster for the addresses of all nodes.
func discoverCluster(ctx context.Context, cfg Config) ([]server, error) {
	r := &redis{cfg}
	var errs []error
	for _, addr := range cfg.Endpoints {
		c := r.client(addr, true)
		// ClusterShards needs Redis 7, and users may run older versions.
		slots, err := c.ClusterSlots(ctx).Result()
		c.Close()
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", addr, err))
			continue
		}
		var found []server
		seen := map[string]bool{}
		for _, slot := range slots {
			for _, n := range slot.Nodes {
				at := n.Addr
				if host, port, err := net.SplitHostPort(at); err == nil && host == "" { // an empty host means the host of the node that was asked
					asked, _, _ := net.SplitHostPort(addr)
					at = net.JoinHostPort(asked, port)
				}
				if !seen[at] {
					seen[at] = true
					found = append(found, server{"redis", at})
				}
			}
		}
		return found, nil
	}
	return nil, fmt.Errorf("external: %w: %w", ErrUnreachable, errors.Join(errs...))
}

// lookLasts is the lifetime of the key that a look writes.
const lookLasts = 10 * time.Second

// looker writes a key with a short lifetime. A sentinel stores no keys and gets a PING. A replica
// is usable if the topology knows its primary.
func (r *redis) looker(s server) looker {
	follows := r.cfg.Topology == "redis-sentinel" || r.cfg.Topology == "redis-cluster"
	return &kept[rediscmd.Client]{
		open: func(ctx context.Context) (rediscmd.Client, error) {
			login := s.kind != "sentinel" || SentinelAsks(ctx, Config{Endpoints: []string{s.addr}, Dial: r.cfg.Dial})
			return r.open(s.addr, login, 0), nil
		},
		ask: func(ctx context.Context, c rediscmd.Client) error {
			if s.kind == "sentinel" {
				return c.Ping(ctx).Err()
			}
			return answered(c.Set(ctx, r.cfg.Prefix+lookKey, 1, lookLasts).Err(), follows)
		},
		shut: func(c rediscmd.Client) { c.Close() },
	}
}

// answered judges the answer to a write. A server that denies this user the key, or redirects to
// another server, is usable.
func answered(err error, follows bool) error {
	switch {
	case err == nil, strings.HasPrefix(err.Error(), "NOPERM"), strings.HasPrefix(err.Error(), "MOVED"):
		return nil
	case !strings.HasPrefix(err.Error(), "READONLY"):
		return err
	case follows:
		return nil
	}
	return errReplica
}
