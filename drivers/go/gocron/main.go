// Command gocron is the driver of gocron and gocron-extend: one client of the Locker of
// github.com/go-co-op/gocron-redis-lock.
package main

import (
	"context"
	"time"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redislib"
)

func main() {
	driver.Main(map[string]driver.Opener{"gocron": extending(0), "gocron-extend": extending(3)})
}

// extending opens a lock that extends its keys so many times in a TTL.
func extending(times time.Duration) driver.Opener {
	return func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
		period := time.Duration(0)
		if times > 0 {
			period = o.TTL / times
		}
		return NewGocron(configOf(o), period)
	}
}

func configOf(o driver.Open) redislib.Config {
	return redislib.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Access: o.Access, Prefix: o.Prefix, Token: o.Options["token"]}
}
