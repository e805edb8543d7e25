package registry

import (
	"time"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// redisLibraries are libraries for Redis, as they are, beside those of package onredis.
func redisLibraries() map[string]Backend {
	return map[string]Backend{
		"valkeylock": {
			About: "github.com/valkey-io/valkey-go/valkeylock, as it is: a fork of rueidislock", Topology: "redis", Replicated: "redis-replicas",
			Traits: redislib.RueidislockTraits(), HostTime: true, Modules: []string{"github.com/valkey-io/valkey-go"}, Program: "valkey",
			Retry: time.Second, // it names no owner to look for
			Real:  true,        // CLIENT TRACKING
		},
		"gocron":        onGocron("as it is, with WithExpiry: no job learns that its key is gone", redislib.GocronTraits()),
		"gocron-extend": onGocron("with WithAutoExtendDuration of a third of the expiry", redislib.GocronExtendTraits()),
	}
}

// onGocron is the Locker of a scheduler. It names no owner to look for.
func onGocron(about string, t locks.Traits) Backend {
	return Backend{
		About: "github.com/go-co-op/gocron-redis-lock/v2, " + about, Topology: "redis", Replicated: "redis-replicas",
		Traits: t, HostTime: true, Retry: 250 * time.Millisecond,
		Modules: []string{"github.com/go-co-op/gocron-redis-lock/v2", "github.com/go-co-op/gocron/v2", "github.com/go-redsync/redsync/v4", goRedis},
		Program: "gocron",
	}
}
