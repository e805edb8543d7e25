//go:build wasip1 || simulated

package main

import (
	"context"
	"fmt"
	"io"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry/onredis"
	"locktorture/simulate/inside"
)

// run is the life of a process with its arguments.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 2 && args[1] == "harness" {
		return play(ctx, in, out)
	}
	if len(args) == 2 && args[1] == "driver" {
		return driver.Serve(ctx, open, in, out)
	}
	return fmt.Errorf("usage: guest harness|driver, not %q", args)
}

// open opens the lock that an open request names.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	l, err := inside.Order{Backend: o.Backend, Options: o.Options}.Lock()
	if err != nil {
		return nil, err
	}
	return openOnRedis(o.Backend, l, onredis.Args{Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Options: o.Options})
}
