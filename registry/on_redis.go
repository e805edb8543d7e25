package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
)

// onRedis returns a backend on one Redis, or on a primary with replicas.
func onRedis(about string, t locks.Traits, open func(redis.Config) locks.Locker) Backend {
	return Backend{
		About: about, Topology: "redis", Replicated: "redis-replicas", Traits: t, ProbeWith: probeRedis, Retry: 10 * time.Millisecond,
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			timeout, err := a.duration("timeout")
			if err != nil {
				return nil, err
			}
			return open(redis.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}), nil
		},
	}
}

// onReplicas returns a backend that needs replicas.
func onReplicas(about string, t locks.Traits, open func(redis.Config) locks.Locker) Backend {
	b := onRedis(about, t, open)
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
		timeout, err := a.duration("timeout")
		if err != nil {
			return nil, err
		}
		return open(redis.Config{TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}, routes), nil
	}
}

// redisWatchdog has the option "period": the time between two renewals.
func redisWatchdog() Backend {
	b := onRedis("redis-set, renewed every TTL/3 while it is held", redis.WatchdogTraits(), nil)
	b.Open = func(_ context.Context, a Args) (locks.Locker, error) {
		period, err := a.duration("period")
		if err != nil {
			return nil, err
		}
		timeout, err := a.duration("timeout")
		if err != nil {
			return nil, err
		}
		return redis.NewWatchdogEvery(redis.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}, period), nil
	}
	return b
}

// probedBy looks at the servers of a backend with a probe of its own.
func probedBy(newProbe func([]redis.Node, time.Duration) *redis.Probe, b Backend) Backend {
	b.ProbeWith = func(c *cluster.Cluster, a Args) (locks.Prober, error) {
		return ofPrimary(c, newProbe(redisNodes(c, a), 0)), nil
	}
	return b
}

// unseen returns a backend whose servers are not looked at: what they keep is in nobody's name,
// or ends without their telling it.
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
