package main

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/locks/redlock"
	"locktorture/locks/thirdparty"
)

// redisBackends are the locks of the Redis family beyond the first ones.
func redisBackends() map[string]backend {
	plain := func(open func(redis.ReentrantConfig) locks.Locker) func(redis.Config) locks.Locker {
		return func(c redis.Config) locks.Locker { return open(redis.ReentrantConfig{Config: c}) }
	}
	return map[string]backend{
		"redis-setnx-expire": onRedis("SETNX, then the expiry as a second command", redis.SetNXExpireTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetNXExpire(c) }),
		"redis-getset": probedBy(redis.NewGetSetProbe, onRedis("the value is the expiry by the client's clock; takeover with GETSET; plain DEL", redis.GetSetTraits(),
			func(c redis.Config) locks.Locker { return redis.NewGetSet(c) })),
		"redis-lua": onRedis("SETNX and the expiry in one script", redis.LuaTraits(),
			func(c redis.Config) locks.Locker { return redis.NewLua(c) }),
		"redis-set-del": onRedis("redis-set with a plain DEL", redis.SetDelTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetDel(c) }),
		"redis-set-getdel": onRedis("redis-set with GET, compare and DEL as separate commands", redis.SetGetDelTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetGetDel(c) }),
		"redis-watch": onRedis("SETNX, EXPIRE and the published repair, which does not repair; release by WATCH and MULTI", redis.WatchTraits(),
			func(c redis.Config) locks.Locker { return redis.NewWatch(c) }),
		"redis-watch-repaired": onRedis("redis-watch with a repair that works", redis.WatchRepairedTraits(),
			func(c redis.Config) locks.Locker { return redis.NewWatchRepaired(c) }),
		"redis-reentrant": probedBy(redis.NewReentrantProbe, onRedis("a hash that counts entries, waiters woken by pub/sub, a watchdog (Redisson's lock)", redis.ReentrantTraits(),
			plain(func(c redis.ReentrantConfig) locks.Locker { return redis.NewReentrant(c) }))),
		"redis-fair": probedBy(redis.NewReentrantProbe, onRedis("redis-reentrant with a queue (Redisson's fair lock)", redis.FairTraits(),
			plain(func(c redis.ReentrantConfig) locks.Locker {
				return redis.NewFair(redis.FairConfig{ReentrantConfig: c})
			}))),
		"redis-wait": onReplicas("redis-set, then WAIT 1 on the same connection", redis.WaitTraits(),
			func(c redis.Config) locks.Locker { return redis.NewWait(c) }),
		"redis-wait-pooled": onReplicas("redis-set, then WAIT 1 on another connection of the pool", redis.WaitTraits(),
			func(c redis.Config) locks.Locker { return redis.NewWaitPooled(c) }),
		"redis-sentinel": {
			About: "redis-set on a primary that three sentinels replace", Topology: "redis-sentinel",
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
			ProbeWith: func(c *cluster.Cluster, a lockArgs) (locks.Prober, error) {
				return redis.NewProbe(redisNodes(c, a), 0), nil
			},
		},
		"multilock": onFive("all of five independent locks, or none", redlock.MultiTraits(), redlock.NewMulti),
		"redlock-watchdog": {
			About: "redlock, renewed on a quorum every TTL/3 while it is held", Topology: "redis-5",
			Traits: redlock.WatchdogTraits(), ProbeWith: probeRedis, Retry: 30 * time.Millisecond,
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				return redlock.NewWatchdog(redlock.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
			},
		},
		"redsync": {
			About: "github.com/go-redsync/redsync/v4, as it is: Redlock", Topology: "redis-5",
			Traits: thirdparty.RedsyncTraits(), ProbeWith: probeRedis, Retry: 250 * time.Millisecond,
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				if a.Options["extend"] == "setnx" {
					return thirdparty.NewRedsync(libraryConfig(a), redsync.WithSetNXOnExtend()), nil
				}
				return thirdparty.NewRedsync(libraryConfig(a)), nil
			},
		},
		"redislock": {
			About: "github.com/bsm/redislock, as it is", Topology: "redis", Replicated: "redis-replicas",
			Traits: thirdparty.RedislockTraits(), ProbeWith: probeRedis, Retry: 5 * time.Millisecond,
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				return thirdparty.NewRedislock(libraryConfig(a)), nil
			},
		},
		"rueidislock": {
			About: "github.com/redis/rueidis/rueidislock, as it is", Topology: "redis", Replicated: "redis-replicas",
			Traits: thirdparty.RueidislockTraits(), Retry: time.Second, // it tells no owner to look for
			Real: true, // CLIENT TRACKING
			Open: func(_ context.Context, a lockArgs) (locks.Locker, error) {
				return thirdparty.NewRueidislock(libraryConfig(a))
			},
		},
	}
}

// onReplicas is a backend that needs replicas.
func onReplicas(about string, t locks.Traits, open func(redis.Config) locks.Locker) backend {
	b := onRedis(about, t, open)
	b.Topology, b.Replicated = "redis-replicas", ""
	return b
}

// routed opens a lock whose servers tell their clients where to go.
func routed(open func(redis.Config, []redis.Route) locks.Locker) func(context.Context, lockArgs) (locks.Locker, error) {
	return func(_ context.Context, a lockArgs) (locks.Locker, error) {
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

// libraryConfig is how a library for Redis is opened.
func libraryConfig(a lockArgs) thirdparty.RedisConfig {
	return thirdparty.RedisConfig{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Prefix: a.Prefix, Token: a.Options["token"]}
}

// probedBy looks at the servers of a backend with a probe of its own.
func probedBy(newProbe func([]redis.Node, time.Duration) *redis.Probe, b backend) backend {
	b.ProbeWith = func(c *cluster.Cluster, a lockArgs) (locks.Prober, error) {
		return ofPrimary(c, newProbe(redisNodes(c, a), 0)), nil
	}
	return b
}
