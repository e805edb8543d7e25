package simulate_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processor is the processor time that this process and its children, the servers, have taken.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var own unix.Rusage
	must(t, unix.Getrusage(unix.RUSAGE_SELF, &own))
	var over unix.Rusage // those that have ended: clients are processes
	must(t, unix.Getrusage(unix.RUSAGE_CHILDREN, &over))
	sum := time.Duration(own.Utime.Nano() + own.Stime.Nano() + over.Utime.Nano() + over.Stime.Nano())
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		// After the name, which stands in brackets, the fields 3, 4 and 14, 15 of proc(5):
		// parent and times in ticks of 10 ms.
		var state string
		var parent, skip, user, system int64
		rest := stat[bytes.LastIndexByte(stat, ')')+1:]
		_, err = fmt.Sscan(string(rest), &state, &parent, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &user, &system)
		if err == nil && parent == int64(os.Getpid()) {
			sum += time.Duration(user+system) * 10 * time.Millisecond
		}
	}
	return sum
}
