//go:build (wasip1 || simulated) && harness

package main

import (
	"fmt"

	"locktorture/locks"
	"locktorture/registry/onredis"
)

// openOnRedis opens a lock of torture's own: this is a harness for clients that are a program of their own.
func openOnRedis(name string, l onredis.Lock, a onredis.Args) (locks.Locker, error) {
	if l.Open == nil {
		return nil, fmt.Errorf("%s is a library, which this program does not have", name)
	}
	return l.Open(a)
}
