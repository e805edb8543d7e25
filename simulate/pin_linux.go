package simulate

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
)

// settle keeps this goroutine on one thread, and the thread on one processor: to change from
// one process to another takes less there than to wake another processor. What the thread
// starts meanwhile follows it, and takes turns with it. The processor is the n-th of those that
// the thread can have, or with 0 the one on which it is. leave undoes it.
func settle(n int) (leave func()) {
	runtime.LockOSThread()
	interrupt, _ := rawio.TakeTurns(0) // else it is slower, and no more
	back := func() {
		interrupt()
		runtime.UnlockOSThread()
	}
	var all, one unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil || all.Count() < 2 {
		return back
	}
	one.Set(choose(all, n))
	if unix.SchedSetaffinity(0, &one) != nil {
		return back // as above
	}
	return func() {
		if unix.SchedSetaffinity(0, &all) == nil {
			back() // else the thread ends with the goroutine
		}
	}
}

// choose is the number of the n-th processor of a set, or with 0 of the one on which this
// thread is.
func choose(all unix.CPUSet, n int) int {
	if n == 0 {
		var here uint32
		_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&here)), 0, 0)
		return int(here)
	}
	n = (n - 1) % all.Count()
	for cpu := 0; ; cpu++ {
		if all.IsSet(cpu) {
			if n--; n < 0 {
				return cpu
			}
		}
	}
}
