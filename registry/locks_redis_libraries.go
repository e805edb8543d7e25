package registry

import (
	"context"
	"time"

	"github.com/go-redsync/redsync/v4"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// redisLibraries are libraries for Redis, as they are.
func redisLibraries() map[string]Backend {
	return map[string]Backend{
		"redsync": {
			About: "github.com/go-redsync/redsync/v4, as it is: Redlock", Topology: "redis-5",
			Traits: redislib.RedsyncTraits(), HostTime: true, Modules: []string{"github.com/go-redsync/redsync/v4", goRedis},
			ProbeWith: probeRedis, Retry: 250 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				if a.Options["extend"] == "setnx" {
					return redislib.NewRedsync(libraryConfig(a), redsync.WithSetNXOnExtend()), nil
				}
				return redislib.NewRedsync(libraryConfig(a)), nil
			},
		},
		"redislock": {
			About: "github.com/bsm/redislock, as it is", Topology: "redis", Replicated: "redis-replicas",
			Traits: redislib.RedislockTraits(), HostTime: true, Modules: []string{"github.com/bsm/redislock", goRedis},
			ProbeWith: probeRedis, Retry: 5 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return redislib.NewRedislock(libraryConfig(a)), nil
			},
		},
		"rueidislock": {
			About: "github.com/redis/rueidis/rueidislock, as it is", Topology: "redis", Replicated: "redis-replicas",
			Traits: redislib.RueidislockTraits(), HostTime: true, Modules: []string{"github.com/redis/rueidis"}, Program: "rueidis",
			Retry: time.Second, // it does not report an owner to look for
			Real:  true,        // CLIENT TRACKING
		},
		"valkeylock": {
			About: "github.com/valkey-io/valkey-go/valkeylock, as it is: a fork of rueidislock", Topology: "redis", Replicated: "redis-replicas",
			Traits: redislib.RueidislockTraits(), HostTime: true, Modules: []string{"github.com/valkey-io/valkey-go"}, Program: "valkey",
			Retry: time.Second, // it does not report an owner to look for
			Real:  true,        // CLIENT TRACKING
		},
		"gocron":        onGocron("as it is, with WithExpiry: nobody tells a job that its key is gone", redislib.GocronTraits()),
		"gocron-extend": onGocron("with WithAutoExtendDuration of a third of the expiry", redislib.GocronExtendTraits()),
	}
}

// onGocron returns the Locker of a scheduler. It does not report an owner to look for.
func onGocron(about string, t locks.Traits) Backend {
	return Backend{
		About: "github.com/go-co-op/gocron-redis-lock/v2, " + about, Topology: "redis", Replicated: "redis-replicas",
		Traits: t, HostTime: true, Retry: 250 * time.Millisecond,
		Modules: []string{"github.com/go-co-op/gocron-redis-lock/v2", "github.com/go-co-op/gocron/v2", "github.com/go-redsync/redsync/v4", goRedis},
		Program: "gocron",
	}
}

// libraryConfig returns how a library for Redis is opened.
func libraryConfig(a Args) redislib.Config {
	return redislib.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Prefix: a.Prefix, Token: a.Options["token"]}
}
