package cgroup

// A Work is what the processors have done so far, in clock ticks. The zero Work is that of a
// system that does not say.
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
	return float64(w.busy-earlier.busy) / float64(w.all-earlier.all), true
}

// Since returns the share of the processors' time, from 0 to 1, that other programs have taken since
// an earlier reading, the kernel's own work included. ok is false where the system does not say.
//
// A descendant counts as another program from the moment at which its parent ends without having
// waited for it. The share is then too large, never too small.
func (w Work) Since(earlier Work) (share float64, ok bool) {
	if w.all <= earlier.all {
		return 0, false
	}
	others := max(0, float64(w.busy-earlier.busy)-float64(max(w.own, earlier.own)-earlier.own))
	return min(1, others/float64(w.all-earlier.all)), true
}
