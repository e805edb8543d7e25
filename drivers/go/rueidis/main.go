// Command rueidis is the driver of rueidislock: one client of github.com/redis/rueidis/rueidislock.
package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redislib"
	"locktorture/locks/rueidis"
)

func main() {
	driver.Main(map[string]driver.Opener{
		"rueidislock": func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
			return rueidis.New(configOf(o))
		},
	})
}

func configOf(o driver.Open) redislib.Config {
	return redislib.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Access: o.Access, Prefix: o.Prefix, Token: o.Options["token"]}
}
