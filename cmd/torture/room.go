package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// leastRoom is the address space in which a small run was seen to end. Below it the Go runtime
// ends the program in the middle of its work, with exit code 2.
const leastRoom = 2_000_000 << 10

// roomToWork is an error if the limit of the address space (ulimit -v) is too small.
func roomToWork() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur >= leastRoom {
		return nil
	}
	return fmt.Errorf("the address space is limited to %d kB (ulimit -v), and torture needs at least %d", limit.Cur>>10, leastRoom>>10)
}
