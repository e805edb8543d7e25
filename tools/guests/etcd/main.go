//go:build !simulated

// Command etcd is the server of etcd as a guest of a simulation (simulate). It runs nowhere else.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this etcd is a server of a simulation, and runs nowhere else: see docs/explore.md")
	os.Exit(2)
}
