// Command consul-api is the driver of consul-api and consul-semaphore: one client of the Lock or
// the Semaphore of github.com/hashicorp/consul/api.
package main

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/driver"
)

func main() {
	driver.Main(map[string]driver.Opener{
		"consul-api": func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
			return NewConsulAPI(configOf(o))
		},
		"consul-semaphore": func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
			return NewConsulSemaphore(configOf(o))
		},
	})
}

func configOf(o driver.Open) ConsulConfig {
	return ConsulConfig{Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Access: o.Access, Session: o.Prefix}
}
