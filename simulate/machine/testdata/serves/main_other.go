//go:build !simulated

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "serves is a process of a simulation, and runs nowhere else")
	os.Exit(2)
}
