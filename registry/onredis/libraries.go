package onredis

import (
	"time"

	"locktorture/locks/redis"
	"locktorture/locks/redislib"
)

// GoRedis is the module of the client library that most locks on Redis use.
const GoRedis = "github.com/redis/go-redis/v9"

// The functions below return libraries in their published form. Package libraries opens them.
// Libraries that cannot run in virtual time are in the table of package registry.

func redsyncLock() Lock {
	return Lock{
		About: "github.com/go-redsync/redsync/v4, as it is: Redlock", Nodes: 5,
		Traits: redislib.RedsyncTraits(), HostTime: true, Modules: []string{"github.com/go-redsync/redsync/v4", GoRedis},
		Probe: redis.NewProbe, Retry: 250 * time.Millisecond, Options: []string{"token", "extend"},
	}
}

func redislockLock() Lock {
	return Lock{
		About: "github.com/bsm/redislock, as it is", Nodes: 1,
		Traits: redislib.RedislockTraits(), HostTime: true, Modules: []string{"github.com/bsm/redislock", GoRedis},
		Probe: redis.NewProbe, Retry: 5 * time.Millisecond, Options: []string{"token"},
	}
}

func rueidisLock() Lock {
	return Lock{
		About: "github.com/redis/rueidis/rueidislock, as it is", Nodes: 1,
		Traits: redislib.RueidislockTraits(), HostTime: true, Modules: []string{"github.com/redis/rueidis"}, Program: "rueidis",
		Retry: time.Second, Options: []string{"token"}, // it reveals no owner for a probe to look for
		Real: true, Pushes: true, // it needs CLIENT TRACKING
	}
}
