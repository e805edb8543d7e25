package onredis

import (
	"locktorture/locks/redis"
	"locktorture/locks/redlock"
)

// Locks returns the locks by name.
func Locks() map[string]Lock {
	return map[string]Lock{
		"redis-setnx":        OnOne("SETNX and plain DEL, no expiry", redis.SetNXTraits(), redis.NewSetNX).beside("redis-setnx"),
		"redis-set":          OnOne("SET NX PX, a random value, compare-and-delete in Lua", redis.SetTraits(), redis.NewSet).against("redislock"),
		"redis-watchdog":     watchdog("redis-set, renewed every TTL/3 while it is held"),
		"redis-fenced":       OnOne("redis-set with a fencing token from INCR in the same script", redis.FencedTraits(), redis.NewFenced),
		"redis-setnx-expire": OnOne("SETNX, then the expiry as a second command", redis.SetNXExpireTraits(), redis.NewSetNXExpire),
		"redis-getset": OnOne("the value is the expiry by the client's clock; takeover with GETSET; plain DEL", redis.GetSetTraits(), redis.NewGetSet).
			probedBy(redis.NewGetSetProbe),
		"redis-lua":            OnOne("SETNX and the expiry in one script", redis.LuaTraits(), redis.NewLua),
		"redis-set-del":        OnOne("redis-set with a plain DEL", redis.SetDelTraits(), redis.NewSetDel).beside("redis-del"),
		"redis-set-getdel":     OnOne("redis-set with GET, compare and DEL as separate commands", redis.SetGetDelTraits(), redis.NewSetGetDel),
		"redis-watch":          OnOne("SETNX, EXPIRE and the published repair, which does not work; release by WATCH and MULTI", redis.WatchTraits(), redis.NewWatch),
		"redis-watch-repaired": OnOne("redis-watch with a repair that works", redis.WatchRepairedTraits(), redis.NewWatchRepaired),
		"redis-reentrant": OnOne("a hash that counts entries, waiters woken by pub/sub, a watchdog (Redisson's lock)", redis.ReentrantTraits(),
			func(c redis.Config) *redis.Reentrant { return redis.NewReentrant(redis.ReentrantConfig{Config: c}) }).
			probedBy(redis.NewReentrantProbe).pushed(),
		"redis-fair": OnOne("redis-reentrant with a queue (Redisson's fair lock)", redis.FairTraits(),
			func(c redis.Config) *redis.Fair {
				return redis.NewFair(redis.FairConfig{ReentrantConfig: redis.ReentrantConfig{Config: c}})
			}).probedBy(redis.NewReentrantProbe).pushed(),
		"redis-rw": OnOne("a read-write lock with a watchdog (Redisson's)", redis.RWTraits(), redis.NewRW).
			probedBy(redis.NewRWProbe).pushed().beside("redis-writer"),
		"redis-semaphore": OnOne("a number of permits; the permits of a dead client are gone (Redisson's semaphore)", redis.SemaphoreTraits(), redis.NewSemaphore).
			probedBy(nil).beside("redis-semaphore"),
		"redis-permits": OnOne("permits that expire by the clock of the asking client (Redisson's expirable semaphore)", redis.PermitsTraits(), redis.NewPermits).
			probedBy(redis.NewPermitsProbe).beside("redis-permits"),
		"redis-latch": OnOne("a number that is counted down; count-downs do not name their party (Redisson's latch)", redis.LatchTraits(), redis.NewLatch).
			probedBy(nil).beside("redis-latch"),

		"redlock":          onFive("five nodes in parallel, quorum, validity = TTL - elapsed - drift", redlock.Traits(), redlock.New).against("redsync"),
		"redlock-nocheck":  onFive("redlock without its elapsed-time check: a mutant", redlock.NoCheckTraits(), redlock.NewNoCheck),
		"multilock":        onFive("all of five independent locks, or none", redlock.MultiTraits(), redlock.NewMulti),
		"redlock-watchdog": onFive("redlock, renewed on a quorum every TTL/3 while it is held", redlock.WatchdogTraits(), redlock.NewWatchdog),

		"redsync":     redsyncLock(),
		"redislock":   redislockLock(),
		"rueidislock": rueidisLock(),
	}
}
