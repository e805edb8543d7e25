package gotest

import (
	"context"
	"errors"
	"os"
	"testing"
	_ "unsafe" // for main

	"locktorture/checker"
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

// errInside is said by what is never called in the process of a client, if Main is called in
// TestMain.
var errInside = errors.New("gotest: this is the process of a client; call Main in TestMain")

// Run fails: this is the process of a client.
func Run(context.Context, Config) (checker.Result, error) { return checker.Result{}, errInside }

// Check fails: this is the process of a client.
func Check(t *testing.T, _ Config) checker.Result {
	t.Fatal(errInside)
	return checker.Result{}
}

// Search fails: this is the process of a client.
func Search(context.Context, Config) (Exploration, error) { return Exploration{}, errInside }

// Explore fails: this is the process of a client.
func Explore(t *testing.T, _ Config) Exploration {
	t.Fatal(errInside)
	return Exploration{}
}
