//go:build simulated

package gotest

import (
	"io"
	"os"

	"locktorture/simulate/nursery"
)

// host returns the source of a client's requests and the destination of its answers. A client in a
// simulation starts here: packages that import this one, such as the package of the lock, are
// initialized in each process, and every step of the test before the call of Main is repeated.
var host = born()

func born() func() (io.Reader, io.Writer) {
	_, in, out := nursery.Born()
	_ = os.Setenv(asDriver, "1")
	return func() (io.Reader, io.Writer) { return in, out }
}

// end ends the process, and reports its exit code to the host.
func end(code int) { nursery.Exit(code) }
