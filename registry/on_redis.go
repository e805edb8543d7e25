package registry

import (
	"context"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
)

// onRedis converts a lock to a backend on five independent Redis, or on one Redis, which can
// also be a primary with replicas.
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

// onReplicas converts a lock that needs replicas to a backend.
func onReplicas(l onredis.Lock) Backend {
	b := onRedis(l)
	b.Topology, b.Replicated = "redis-replicas", ""
	return b
}

// routed returns a function that opens a lock whose servers announce addresses to their clients.
// Routes map these addresses to the proxies.
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

// unseen returns the backend without a prober, because its servers store no owner, or remove what
// they store without a trace.
func unseen(b Backend) Backend {
	b.ProbeWith = nil
	return b
}

// OwnOnRedis returns a user's lock with its declared traits and, if key is not "", with a prober.
// The servers store the owner under key: as its value, or as a field of a hash if hash is set.
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
