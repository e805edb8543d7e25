package simulate

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
)

// settle binds this goroutine to a thread and the thread to one processor. A switch between
// processes on one processor takes less time than waking another processor. Processes started
// meanwhile inherit the processor and take turns with the thread. The processor is the n-th that
// the thread may use, or the current one if n is 0. leave undoes both.
func settle(n int) (leave func()) {
	runtime.LockOSThread()
	interrupt, _ := rawio.TakeTurns(0) // only for speed
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
		return back // only for speed
	}
	return func() {
		if unix.SchedSetaffinity(0, &all) == nil {
			back() // otherwise the thread would end with the goroutine
		}
	}
}

// choose returns the number of the n-th processor of a set, or of the current processor if n is 0.
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
