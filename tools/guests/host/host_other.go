//go:build !simulated

package host

import (
	"fmt"
	"os"
)

// Main ends the program with an error.
func Main(func(args []string) error) {
	fmt.Fprintln(os.Stderr, "this is a server of a simulation, which runs nowhere else: see docs/explore.md")
	os.Exit(2)
}
