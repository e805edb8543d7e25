package main

import (
	"context"
	"fmt"
	"os"
)

// main is never called: the host initializes the program once, and calls start for each
// process.
func main() {}

// start is the life of a process.
//
//go:wasmexport run
func start() {
	if err := run(context.Background(), arguments(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
