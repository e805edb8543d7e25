//go:build !wasip1 && !simulated

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "guest is a process of a simulation, and runs nowhere else: GOOS=wasip1 GOARCH=wasm go build")
	os.Exit(2)
}
