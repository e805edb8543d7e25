package registry

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/redlock"
)

// redlocks returns the locks on several independent Redis.
func redlocks() map[string]Backend {
	return map[string]Backend{
		"redlock":         onFive("five nodes in parallel, quorum, validity = TTL - elapsed - drift", redlock.Traits(), redlock.New).against("redsync"),
		"redlock-nocheck": onFive("redlock without its elapsed-time check: a mutant", redlock.NoCheckTraits(), redlock.NewNoCheck),
		"multilock":       onFive("all of five independent locks, or none", redlock.MultiTraits(), redlock.NewMulti),
		"redlock-watchdog": {
			About: "redlock, renewed on a quorum every TTL/3 while it is held", Topology: "redis-5",
			Traits: redlock.WatchdogTraits(), ProbeWith: probeRedis, Retry: 30 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return redlock.NewWatchdog(redlock.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
			},
		},
	}
}

// onFive returns a backend on five independent Redis.
func onFive(about string, t locks.Traits, open func(redlock.Config) *redlock.Redlock) Backend {
	return Backend{
		About: about, Topology: "redis-5", Traits: t, ProbeWith: probeRedis, Retry: 30 * time.Millisecond,
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			timeout, err := a.duration("node-timeout")
			if err != nil {
				return nil, err
			}
			return open(redlock.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, NodeTimeout: timeout}), nil
		},
	}
}
