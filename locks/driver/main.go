//go:build !wasip1 && !simulated

package driver

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
)

// Main is the main function of a driver for locks of this repository. openers maps registry names
// to locks. It serves one client on stdin and stdout. With the argument "version" it prints the
// modules that the program was built from, one per line.
func Main(openers map[string]Opener) {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		printModules()
		return
	}
	err := Serve(context.Background(), Among(openers), os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "torture: %v\n", err)
		os.Exit(1)
	}
}

// printModules prints the versions of the built-in libraries, so that a report can name them.
func printModules() {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, m := range info.Deps {
		fmt.Println(m.Path, m.Version)
	}
}
