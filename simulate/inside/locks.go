package inside

import (
	"fmt"
	"time"

	"github.com/go-redsync/redsync/v4"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/locks/redislib"
	"locktorture/locks/redlock"
)

// A Lock is one that can be simulated.
type Lock struct {
	Nodes  int // Redis servers, each by itself
	Traits locks.Traits
	Retry  time.Duration // longest pause between two tries of a waiter
	Open   func(o driver.Open, clock locks.Clock) (locks.Locker, error)
	Probe  func(nodes []redis.Node, timeout time.Duration) *redis.Probe // nil: its servers are not looked at
	// Options are the names of those that can be given.
	Options []string
	// Pushes: the server sends its clients what they have not asked for, which embedded
	// servers do from threads of their own.
	Pushes bool
}

// Locks are those that can be simulated, by the names that they have in the registry.
func Locks() map[string]Lock {
	return map[string]Lock{
		"redis-setnx":          onOne(redis.SetNXTraits(), func(c redis.Config) locks.Locker { return redis.NewSetNX(c) }),
		"redis-setnx-expire":   onOne(redis.SetNXExpireTraits(), func(c redis.Config) locks.Locker { return redis.NewSetNXExpire(c) }),
		"redis-lua":            onOne(redis.LuaTraits(), func(c redis.Config) locks.Locker { return redis.NewLua(c) }),
		"redis-set":            onOne(redis.SetTraits(), func(c redis.Config) locks.Locker { return redis.NewSet(c) }),
		"redis-set-del":        onOne(redis.SetDelTraits(), func(c redis.Config) locks.Locker { return redis.NewSetDel(c) }),
		"redis-set-getdel":     onOne(redis.SetGetDelTraits(), func(c redis.Config) locks.Locker { return redis.NewSetGetDel(c) }),
		"redis-watch":          onOne(redis.WatchTraits(), func(c redis.Config) locks.Locker { return redis.NewWatch(c) }),
		"redis-fenced":         onOne(redis.FencedTraits(), func(c redis.Config) locks.Locker { return redis.NewFenced(c) }),
		"redis-watch-repaired": onOne(redis.WatchRepairedTraits(), func(c redis.Config) locks.Locker { return redis.NewWatchRepaired(c) }),
		"redis-watchdog":       ofWatchdog(),
		"redis-getset": probedBy(redis.NewGetSetProbe,
			onOne(redis.GetSetTraits(), func(c redis.Config) locks.Locker { return redis.NewGetSet(c) })),
		"redis-reentrant": pushed(onOne(redis.ReentrantTraits(), func(c redis.Config) locks.Locker {
			return redis.NewReentrant(redis.ReentrantConfig{Config: c})
		})),
		"redis-fair": pushed(onOne(redis.FairTraits(), func(c redis.Config) locks.Locker {
			return redis.NewFair(redis.FairConfig{ReentrantConfig: redis.ReentrantConfig{Config: c}})
		})),
		"redlock":          onFive(redlock.Traits(), redlock.New),
		"redlock-nocheck":  onFive(redlock.NoCheckTraits(), redlock.NewNoCheck),
		"multilock":        onFive(redlock.MultiTraits(), redlock.NewMulti),
		"redlock-watchdog": onFive(redlock.WatchdogTraits(), redlock.NewWatchdog),
		"redsync":          ofRedsync(),
		"redislock": ofLibrary(1, 5*time.Millisecond, redislib.RedislockTraits(), func(c redislib.Config) (locks.Locker, error) {
			return redislib.NewRedislock(c), nil
		}),
		"rueidislock": ofRueidislock(),
	}
}

// onOne is a lock on one Redis.
func onOne(t locks.Traits, open func(redis.Config) locks.Locker) Lock {
	return Lock{
		Nodes: 1, Traits: t, Retry: 10 * time.Millisecond, Probe: redis.NewProbe, Options: []string{"timeout"},
		Open: func(o driver.Open, clock locks.Clock) (locks.Locker, error) {
			timeout, err := duration(o, "timeout")
			if err != nil {
				return nil, err
			}
			return open(redis.Config{Addr: o.Endpoints[0], TTL: o.TTL, Owner: o.Owner(), Clock: clock, Timeout: timeout}), nil
		},
	}
}

// ofWatchdog has the option "period": the time between two renewals.
func ofWatchdog() Lock {
	l := onOne(redis.WatchdogTraits(), nil)
	l.Options = append(l.Options, "period")
	l.Open = func(o driver.Open, clock locks.Clock) (locks.Locker, error) {
		period, err := duration(o, "period")
		if err != nil {
			return nil, err
		}
		return onOne(l.Traits, func(c redis.Config) locks.Locker { return redis.NewWatchdogEvery(c, period) }).Open(o, clock)
	}
	return l
}

// duration is an option that is a time; 0 if it was not given.
func duration(o driver.Open, name string) (time.Duration, error) {
	text := o.Options[name]
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("option %s: %w", name, err)
	}
	return d, nil
}

func probedBy(probe func([]redis.Node, time.Duration) *redis.Probe, l Lock) Lock {
	l.Probe = probe
	return l
}

// pushed is a lock that keeps a hash, and wakes its waiters by pub/sub.
func pushed(l Lock) Lock {
	l.Probe, l.Pushes = redis.NewReentrantProbe, true
	return l
}

// onFive is a lock on five Redis.
func onFive[L locks.Locker](t locks.Traits, open func(redlock.Config) L) Lock {
	return Lock{
		Nodes: 5, Traits: t, Retry: 30 * time.Millisecond, Probe: redis.NewProbe, Options: []string{"node-timeout"},
		Open: func(o driver.Open, clock locks.Clock) (locks.Locker, error) {
			timeout, err := duration(o, "node-timeout")
			if err != nil {
				return nil, err
			}
			return open(redlock.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, NodeTimeout: timeout}), nil
		},
	}
}

// ofLibrary is a library for Redis, as it is.
func ofLibrary(nodes int, retry time.Duration, t locks.Traits, open func(redislib.Config) (locks.Locker, error)) Lock {
	return Lock{
		Nodes: nodes, Traits: t, Retry: retry, Probe: redis.NewProbe, Options: []string{"token"},
		Open: func(o driver.Open, _ locks.Clock) (locks.Locker, error) {
			return open(redislib.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Token: o.Options["token"]})
		},
	}
}

// ofRedsync has the option "extend".
func ofRedsync() Lock {
	l := ofLibrary(5, 250*time.Millisecond, redislib.RedsyncTraits(), nil)
	l.Options = append(l.Options, "extend")
	l.Open = func(o driver.Open, _ locks.Clock) (locks.Locker, error) {
		var options []redsync.Option
		if o.Options["extend"] == "setnx" {
			options = append(options, redsync.WithSetNXOnExtend())
		}
		return redislib.NewRedsync(redislib.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Token: o.Options["token"]}, options...), nil
	}
	return l
}

// ofRueidislock tells no owner to look for, and is told of changed keys by the server.
func ofRueidislock() Lock {
	l := ofLibrary(1, time.Second, redislib.RueidislockTraits(), openRueidislock)
	l.Probe, l.Pushes = nil, true
	return l
}
