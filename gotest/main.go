// Package gotest tortures a user's lock in go test. Main, called in TestMain, lets the test binary
// start itself again as the process of each client, so that a pause or a kill is a real one. Run
// starts the servers, injects faults and judges the recorded history. Check does so for a test,
// which fails with the verdict, the first anomalies and the path of the report.
//
// Explore and Search play the same lock in virtual time, with faults at single messages, and reduce
// the faults that break it to a schedule that can be played again (docs/explore.md). For that, the
// package with its test is compiled once more as the program of each client: on Linux with amd64
// for this machine, on other systems to wasip1. Main must therefore be the first call in TestMain,
// code that does not compile for wasip1 must be in files that begin with //go:build !wasip1, and
// connections must be made by driver.Open.Dial:
//
//	func open(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
//		return &MyLock{redis.NewClient(&redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial})}, nil
//	}
//
// A client of etcd gets the dialer from an option of gRPC:
//
//	grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return o.Dial(ctx, "tcp", addr) })
//
// Explore and Search play a lock on etcd only on Linux with amd64.
package gotest

import (
	"context"
	"fmt"
	"os"

	"locktorture/locks/driver"
)

// asDriver makes the test binary the process of a client, see kept.AsDriver.
const asDriver = "TORTURE_GOTEST_DRIVER"

// Main runs the tests and returns the exit code for os.Exit. In a process that Run has started, or
// Search in a simulation, it instead serves the lock that open makes.
//
//	func TestMain(m *testing.M) { os.Exit(gotest.Main(m, open)) }
func Main(m interface{ Run() int }, open driver.Opener) int {
	if os.Getenv(asDriver) == "" {
		return m.Run()
	}
	in, out := host()
	code := 0
	if err := driver.Serve(context.Background(), open, in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	end(code)
	return code
}
