package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/registry/onredis"
	"locktorture/registry/onredis/libraries"
)

// redisLocks returns the locks of package onredis, and the locks on Redis servers that know of each
// other.
func redisLocks() map[string]Backend {
	all := map[string]Backend{
		"redis-wait":        onReplicas(onredis.OnOne("redis-set, then WAIT 1 on the same connection", redis.WaitTraits(), redis.NewWait)),
		"redis-wait-pooled": onReplicas(onredis.OnOne("redis-set, then WAIT 1 on another connection of the pool", redis.WaitTraits(), redis.NewWaitPooled)),
		"redis-sentinel": {
			About: "redis-set on a primary that three sentinels watch, and replace if it fails", Topology: "redis-sentinel",
			Traits: redis.SentinelTraits(), ProbeWith: probeRedis, Retry: 10 * time.Millisecond,
			Open: routed(func(c redis.Config, routes []redis.Route) locks.Locker {
				return redis.NewSentinel(c, c.Access.MasterOr("torture"), routes)
			}),
		},
		"redis-cluster": {
			About: "redis-set on a Redis Cluster of three primaries and their replicas", Topology: "redis-cluster",
			Traits: redis.ClusterTraits(), Retry: 10 * time.Millisecond,
			Open: routed(func(c redis.Config, routes []redis.Route) locks.Locker { return redis.NewCluster(c, routes) }),
			// Only the primary of the lock's slot answers, whichever node that is.
			ProbeWith: func(c *cluster.Cluster, a Args) (locks.Prober, error) {
				return redis.NewProbe(redisNodes(c, a), 0), nil
			},
		},
	}
	for name, l := range onredis.Locks() {
		b := onRedis(l)
		b.Open = func(_ context.Context, a Args) (locks.Locker, error) { return libraries.Open(name, l, a) }
		all[name] = b
	}
	return all
}
