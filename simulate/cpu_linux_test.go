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
	sum := usage()
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

// usage is the processor time of this process and of its children that have ended.
func usage() (sum time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err != nil {
			panic(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
