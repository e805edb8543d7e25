package registry

import (
	"time"

	"locktorture/locks"
	"locktorture/locks/redislib"
)

// redisLibraries returns the libraries for Redis that package onredis does not contain, in their
// published form.
func redisLibraries() map[string]Backend {
	return map[string]Backend{
		"valkeylock": {
			About: "github.com/valkey-io/valkey-go/valkeylock, as it is: a fork of rueidislock", Topology: "redis", Replicated: "redis-replicas",
			Traits: redislib.RueidislockTraits(), HostTime: true, Modules: []string{"github.com/valkey-io/valkey-go"}, Program: "valkey",
			Retry: time.Second, // it reveals no owner for a probe to look for
			Real:  true,        // it needs CLIENT TRACKING
		},
		"gocron":        onGocron("as it is, with WithExpiry: no job learns that its key is gone", redislib.GocronTraits()),
		"gocron-extend": onGocron("with WithAutoExtendDuration of a third of the expiry", redislib.GocronExtendTraits()),
	}
}

// onGocron returns the Locker of the scheduler gocron. It has no prober, because it reveals no
// owner.
func onGocron(about string, t locks.Traits) Backend {
	return Backend{
		About: "github.com/go-co-op/gocron-redis-lock/v2, " + about, Topology: "redis", Replicated: "redis-replicas",
		Traits: t, HostTime: true, Retry: 250 * time.Millisecond,
		Modules: []string{"github.com/go-co-op/gocron-redis-lock/v2", "github.com/go-co-op/gocron/v2", "github.com/go-redsync/redsync/v4", goRedis},
		Program: "gocron",
	}
}
