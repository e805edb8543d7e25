package registry

import (
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/redis"
)

// redisLocks returns the locks on one Redis, or on servers that replace it.
func redisLocks() map[string]Backend {
	plain := func(open func(redis.ReentrantConfig) locks.Locker) func(redis.Config) locks.Locker {
		return func(c redis.Config) locks.Locker { return open(redis.ReentrantConfig{Config: c}) }
	}
	return map[string]Backend{
		"redis-setnx": onRedis("SETNX and plain DEL, no expiry", redis.SetNXTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetNX(c) }).beside("redis-setnx"),
		"redis-set": onRedis("SET NX PX, a random value, compare-and-delete in Lua", redis.SetTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSet(c) }).against("redislock"),
		"redis-watchdog": redisWatchdog(),
		"redis-fenced": onRedis("redis-set with a fencing token from INCR in the same script", redis.FencedTraits(),
			func(c redis.Config) locks.Locker { return redis.NewFenced(c) }),
		"redis-setnx-expire": onRedis("SETNX, then the expiry as a second command", redis.SetNXExpireTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetNXExpire(c) }),
		"redis-getset": probedBy(redis.NewGetSetProbe, onRedis("the value is the expiry by the client's clock; takeover with GETSET; plain DEL", redis.GetSetTraits(),
			func(c redis.Config) locks.Locker { return redis.NewGetSet(c) })),
		"redis-lua": onRedis("SETNX and the expiry in one script", redis.LuaTraits(),
			func(c redis.Config) locks.Locker { return redis.NewLua(c) }),
		"redis-set-del": onRedis("redis-set with a plain DEL", redis.SetDelTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSetDel(c) }).beside("redis-del"),
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
		"redis-rw": probedBy(redis.NewRWProbe, onRedis("a read-write lock with a watchdog (Redisson's)", redis.RWTraits(),
			func(c redis.Config) locks.Locker { return redis.NewRW(c) })).beside("redis-writer"),
		"redis-semaphore": unseen(onRedis("a number of permits; those of a dead client are gone (Redisson's semaphore)", redis.SemaphoreTraits(),
			func(c redis.Config) locks.Locker { return redis.NewSemaphore(c) })).beside("redis-semaphore"),
		"redis-permits": probedBy(redis.NewPermitsProbe, onRedis("permits that end by the clock of whoever asks (Redisson's expirable semaphore)", redis.PermitsTraits(),
			func(c redis.Config) locks.Locker { return redis.NewPermits(c) })).beside("redis-permits"),
		"redis-latch": unseen(onRedis("a number that is counted down; a count-down has no name (Redisson's latch)", redis.LatchTraits(),
			func(c redis.Config) locks.Locker { return redis.NewLatch(c) })).beside("redis-latch"),
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
			ProbeWith: func(c *cluster.Cluster, a Args) (locks.Prober, error) {
				return redis.NewProbe(redisNodes(c, a), 0), nil
			},
		},
	}
}
