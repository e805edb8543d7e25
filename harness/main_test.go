package harness_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
)

// asDriver makes the test binary a driver process.
const asDriver = "TORTURE_TEST_DRIVER"

// TestMain lets the tests start this binary as the process of a client.
func TestMain(m *testing.M) {
	if os.Getenv(asDriver) == "" {
		os.Exit(m.Run())
	}
	if err := driver.Serve(context.Background(), open, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// open opens the locks that the tests of this package use.
func open(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	switch o.Backend {
	case "none":
		return control.NewNone(o.Owner()), nil
	case "local":
		return control.NewLocal(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "local-semaphore":
		return control.NewLocalSemaphore(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()}), nil
	case "redis-set":
		return redis.NewSet(redis.Config{Addr: o.Endpoints[0], TTL: o.TTL, Owner: o.Owner(), Clock: clock}), nil
	case "redis-watchdog":
		return redis.NewWatchdog(redis.Config{Addr: o.Endpoints[0], TTL: o.TTL, Owner: o.Owner(), Clock: clock}), nil
	}
	return nil, fmt.Errorf("no backend %q", o.Backend)
}

// inProcess opens a lock here, isolated one in a process of its own.
func inProcess(o driver.Open) func(context.Context, int, int) (locks.Locker, error) {
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		o := o
		o.Client, o.Process = client, process
		return open(ctx, o, &locks.SkewedClock{})
	}
}

func isolated(o driver.Open) func(context.Context, int, int) (locks.Locker, error) {
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		o := o
		o.Client, o.Process = client, process
		return driver.Start(ctx, driver.Command{
			Path: os.Args[0], Env: append(os.Environ(), asDriver+"=1"), Stderr: os.Stderr,
		}, o)
	}
}
