//go:build simulated

package gotest

import (
	"io"
	"os"

	"locktorture/simulate/nursery"
)

// host is where the requests of a client come from, and where its answers go to. A client in a
// simulation begins here: packages that import this one, as that of the lock does, are
// initialized in each process, and so is all that the test does before it calls Main.
var host = born()

func born() func() (io.Reader, io.Writer) {
	_, in, out := nursery.Born()
	_ = os.Setenv(asDriver, "1")
	return func() (io.Reader, io.Writer) { return in, out }
}

// end ends the process, and tells the host its exit code.
func end(code int) { nursery.Exit(code) }
