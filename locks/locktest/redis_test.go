package locktest_test

import (
	"context"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/redis"
	"locktorture/locks/redlock"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		open   func(redis.Config) locks.Locker
		traits locks.Traits
		broken map[string]string
	}{
		{name: "redis-setnx", open: func(c redis.Config) locks.Locker { return redis.NewSetNX(c) }, traits: redis.SetNXTraits(), broken: map[string]string{
			"release-twice":         "its DEL does not look whose the key is",
			"release-by-non-holder": "its DEL does not look whose the key is",
		}},
		{name: "redis-set", open: func(c redis.Config) locks.Locker { return redis.NewSet(c) }, traits: redis.SetTraits()},
		{name: "redis-watchdog", open: func(c redis.Config) locks.Locker { return redis.NewWatchdog(c) }, traits: redis.WatchdogTraits()},
		{name: "redis-fenced", open: func(c redis.Config) locks.Locker { return redis.NewFenced(c) }, traits: redis.FencedTraits()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "redis")
			s := w.withRedis(w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(redis.Config{Addr: endpoints[0], TTL: ttl, Owner: owner, Timeout: 600 * time.Millisecond}), nil
			}))
			s.KnownBroken = tt.broken
			locktest.Run(t, s)
		})
	}
}

func TestRedlock(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		open   func(redlock.Config) *redlock.Redlock
		traits locks.Traits
		broken map[string]string
	}{
		{name: "redlock", open: redlock.New, traits: redlock.Traits()},
		{name: "redlock-nocheck", open: redlock.NewNoCheck, traits: redlock.NoCheckTraits(), broken: map[string]string{
			"until": "its validity begins with the replies, the keys' with the requests",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "redis-5")
			s := w.withRedis(w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(redlock.Config{Addrs: endpoints, TTL: ttl, Owner: owner, NodeTimeout: 200 * time.Millisecond}), nil
			}))
			s.KnownBroken = tt.broken
			locktest.Run(t, s)
		})
	}
}
