package cgroup

// A Work counts the clock ticks of all processors since the machine started. The zero value means
// that the system does not report them.
type Work struct {
	all  uint64 // ticks of all processors, idle or not
	busy uint64 // of them not idle, with the time that the host took away
	own  uint64 // of this process and its descendants
}

// Busy returns the share of the processors' time, from 0 to 1, in which they were not idle since an
// earlier reading.
func (w Work) Busy(earlier Work) (share float64, ok bool) {
	if w.all <= earlier.all {
		return 0, false
	}
	return max(0, float64(w.busy)-float64(earlier.busy)) / float64(w.all-earlier.all), true
}

// Others returns the share of the processors' time, from 0 to 1, that other programs and the kernel
// have taken since an earlier reading. ok is false where the system does not report it.
//
// A descendant whose parent ended without waiting for it counts as another program, and so does a
// container. The share is then too large, never too small.
func (w Work) Others(earlier Work) (share float64, ok bool) {
	if w.all <= earlier.all {
		return 0, false
	}
	others := max(0, float64(w.busy)-float64(earlier.busy)-float64(max(w.own, earlier.own)-earlier.own))
	return min(1, others/float64(w.all-earlier.all)), true
}
