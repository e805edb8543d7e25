package gotest

import (
	"io"
	"os"
	_ "unsafe" // for main
)

// mainMain is the main of the test, which calls the package's TestMain.
//
//go:linkname mainMain main.main
func mainMain()

// run is the life of a client in a simulation: the host initializes the program once, and
// calls this for each process. Main serves the lock then.
//
//go:wasmexport run
func run() {
	_ = os.Setenv(asDriver, "1")
	mainMain()
	os.Exit(0)
}

// host is where the requests of a client come from, and where its answers go to.
func host() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

// end does nothing: the test's own exit code counts.
func end(int) {}
