package gotest

import (
	"io"
	"os"
	_ "unsafe" // for main
)

// mainMain is the main function of the test, which calls the package's TestMain.
//
//go:linkname mainMain main.main
func mainMain()

// run executes a client in a simulation: the host initializes the program once, and calls run for
// each process. Main then serves the lock.
//
//go:wasmexport run
func run() {
	_ = os.Setenv(asDriver, "1")
	mainMain()
	os.Exit(0)
}

// host returns the source of a client's requests and the destination of its answers.
func host() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

// end does nothing, because the test's own exit code counts.
func end(int) {}
