package main

import (
	"context"
	"fmt"
	"os"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/simulate/inside"
)

// main is never called: the host initializes the program once, and calls start for each
// process.
func main() {}

// start is the life of a process.
//
//go:wasmexport run
func start() {
	if err := run(context.Background(), arguments()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[1] == "harness" {
		return play(ctx, os.Stdin, os.Stdout)
	}
	if len(args) == 2 && args[1] == "driver" {
		return driver.Serve(ctx, open, os.Stdin, os.Stdout)
	}
	return fmt.Errorf("usage: guest harness|driver, not %q", args)
}

// open opens the lock that an open request names.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	l, err := inside.Order{Backend: o.Backend, Options: o.Options}.Lock()
	if err != nil {
		return nil, err
	}
	return l.Open(o, clock)
}
