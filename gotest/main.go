// Package gotest tortures a lock of one's own in go test. Main, called in TestMain, lets the
// test binary start itself again as the process of each client, so that a pause or a kill is a
// real one; Run starts the servers, breaks the world around the lock and judges what was
// recorded. Check does so for a test, which fails with the verdict, the first anomalies and
// the place of the report.
package gotest

import (
	"context"
	"fmt"
	"os"

	"locktorture/locks/driver"
)

// asDriver makes the test binary the process of a client.
const asDriver = "TORTURE_GOTEST_DRIVER"

// Main runs the tests and returns the exit code for os.Exit. In a process that
// Run has started it serves the lock that open makes instead.
//
//	func TestMain(m *testing.M) { os.Exit(gotest.Main(m, open)) }
func Main(m interface{ Run() int }, open driver.Opener) int {
	if os.Getenv(asDriver) == "" {
		return m.Run()
	}
	if err := driver.Serve(context.Background(), open, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
