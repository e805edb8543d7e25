// Command valkey is the driver of valkeylock: one client of
// github.com/valkey-io/valkey-go/valkeylock.
package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redislib"
)

func main() {
	driver.Main(map[string]driver.Opener{
		"valkeylock": func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
			return NewValkeylock(configOf(o))
		},
	})
}

func configOf(o driver.Open) redislib.Config {
	return redislib.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Access: o.Access, Prefix: o.Prefix, Token: o.Options["token"]}
}
