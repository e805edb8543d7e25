// Command nats is the driver of nats and nats-update: one client of locks in a key-value bucket
// of NATS JetStream. It is also a client in virtual time.
package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/driver"
)

// openers returns the locks of this driver.
func openers() map[string]driver.Opener {
	return map[string]driver.Opener{
		"nats": func(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
			return New(configOf(o, clock)), nil
		},
		"nats-update": func(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
			return NewUpdated(configOf(o, clock)), nil
		},
	}
}

func configOf(o driver.Open, clock locks.Clock) Config {
	return Config{Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Dial: o.Dial}
}
