//go:build (wasip1 || simulated) && !harness && !etcdclients

package main

import (
	"locktorture/locks"
	"locktorture/registry/onredis"
	"locktorture/registry/onredis/libraries"
)

// openOnRedis opens any lock on Redis.
func openOnRedis(name string, l onredis.Lock, a onredis.Args) (locks.Locker, error) {
	return libraries.Open(name, l, a)
}
