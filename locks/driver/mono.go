//go:build !wasip1 && !simulated

package driver

import "golang.org/x/sys/unix"

// Monotonic reads CLOCK_MONOTONIC, in ns. All processes of a host share this clock, so that an
// event of one process can be placed in the history of another.
func Monotonic() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // Linux always has this clock
	}
	return ts.Nano()
}
