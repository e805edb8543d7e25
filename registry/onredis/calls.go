package onredis

import (
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/locks/redlock"
)

// OnOne returns a lock on one Redis, with the option "timeout".
func OnOne[L locks.Locker](about string, t locks.Traits, open func(redis.Config) L) Lock {
	return Lock{
		About: about, Nodes: 1, Traits: t, Retry: 10 * time.Millisecond, Probe: redis.NewProbe, Options: []string{"timeout"},
		Open: func(a Args) (locks.Locker, error) {
			c, err := a.Redis()
			if err != nil {
				return nil, err
			}
			return open(c), nil
		},
	}
}

// Redis returns the configuration of a lock on one Redis: the first endpoint.
func (a Args) Redis() (redis.Config, error) {
	timeout, err := a.Duration("timeout")
	c := redis.Config{TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, Timeout: timeout}
	if len(a.Endpoints) > 0 {
		c.Addr = a.Endpoints[0]
	}
	return c, err
}

// watchdog returns a lock on one Redis with the option "period": the time between two renewals.
func watchdog(about string) Lock {
	l := OnOne(about, redis.WatchdogTraits(), redis.NewWatchdog)
	l.Options = append(l.Options, "period")
	l.Open = func(a Args) (locks.Locker, error) {
		period, err := a.Duration("period")
		if err != nil {
			return nil, err
		}
		c, err := a.Redis()
		if err != nil {
			return nil, err
		}
		return redis.NewWatchdogEvery(c, period), nil
	}
	return l
}

// onFive returns a lock on five Redis, with the option "node-timeout".
func onFive[L locks.Locker](about string, t locks.Traits, open func(redlock.Config) L) Lock {
	return Lock{
		About: about, Nodes: 5, Traits: t, Retry: 30 * time.Millisecond, Probe: redis.NewProbe, Options: []string{"node-timeout"},
		Open: func(a Args) (locks.Locker, error) {
			timeout, err := a.Duration("node-timeout")
			if err != nil {
				return nil, err
			}
			return open(redlock.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock, NodeTimeout: timeout}), nil
		},
	}
}
