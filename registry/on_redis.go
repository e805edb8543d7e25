package registry

import (
	"context"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
)

// onRedis makes a backend of a lock on one Redis, or on a primary with replicas, or on five
// independent Redis.
func onRedis(l onredis.Lock) Backend {
	b := Backend{
		About: l.About, Topology: "redis", Replicated: "redis-replicas", Traits: l.Traits, Retry: l.Retry,
		Bare: l.Bare, Peer: l.Peer, Real: l.Real, HostTime: l.HostTime, Modules: l.Modules, Program: l.Program,
		Open: func(_ context.Context, a Args) (locks.Locker, error) { return l.Open(a) },
	}
	if l.Nodes == 5 {
		b.Topology, b.Replicated = "redis-5", ""
	}
	if l.Probe != nil {
		b.ProbeWith = func(c *cluster.Cluster, a Args) (locks.Prober, error) {
			return ofPrimary(c, l.Probe(redisNodes(c, a), 0)), nil
		}
	}
	return b
}

// onReplicas is a backend that needs replicas.
func onReplicas(l onredis.Lock) Backend {
	b := onRedis(l)
	b.Topology, b.Replicated = "redis-replicas", ""
	return b
}

// routed opens a lock whose servers tell their clients where to go.
func routed(open func(redis.Config, []redis.Route) locks.Locker) func(context.Context, Args) (locks.Locker, error) {
	return func(_ context.Context, a Args) (locks.Locker, error) {
		routes, err := redis.ParseRoutes(a.Endpoints)
		if err != nil {
			return nil, err
		}
		c, err := a.Redis()
		if err != nil {
			return nil, err
		}
		c.Addr = ""
		return open(c, routes), nil
	}
}

// unseen is a backend whose servers are not looked at: what they keep is in nobody's name, or
// ends without a trace.
func unseen(b Backend) Backend {
	b.ProbeWith = nil
	return b
}

// OwnOnRedis returns a lock of which no more is known than what it declares and, if key is not
// "", under which key its servers keep the owner: as the key's value, or as the field of a
// hash.
func OwnOnRedis(name, topology string, t locks.Traits, key string, hash bool) Backend {
	b := Backend{Name: name, Topology: topology, Traits: t}
	if key == "" {
		return b
	}
	at := redis.NewProbeAt
	if hash {
		at = redis.NewFieldProbeAt
	}
	b.ProbeWith = func(c *cluster.Cluster, a Args) (locks.Prober, error) {
		return at(redisNodes(c, a), 0, func(string) string { return key }), nil
	}
	return b
}
