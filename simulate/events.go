package simulate

import (
	"container/heap"
	"time"
)

// An event happens at a virtual time. Events at the same time happen in the order in which they
// were planned.
type event struct {
	at  int64
	seq uint64
	do  func()
}

// events is a heap of the planned events.
type events []event

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (h events) Len() int { return len(h) }

func (h events) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h events) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *events) Push(x any) { *h = append(*h, x.(event)) }

func (h *events) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = event{}
	*h = (*h)[:last]
	return e
}

// at plans an event at time t.
func (w *world) at(t int64, do func()) {
	w.seq++
	heap.Push(&w.queue, event{max(t, w.now), w.seq, do})
}

// time returns the time since the start of the harness.
func (w *world) time() int64 { return w.now - w.opened }

// after plans an event at d from now.
func (w *world) after(d time.Duration, do func()) { w.at(w.now+int64(d), do) }

// mostAtOnce bounds the number of events at one time. More of them mean that virtual time no longer
// advances.
const mostAtOnce = 1_000_000

// next executes the next event. It returns false, and fails the run, if there is none.
func (w *world) next() bool {
	if len(w.queue) == 0 {
		w.fail("no event is planned, and the harness has not ended")
		return false
	}
	e := heap.Pop(&w.queue).(event)
	if w.atOnce++; e.at > w.now {
		w.atOnce = 0
	}
	if w.atOnce > mostAtOnce {
		w.fail("virtual time does not advance")
		return false
	}
	w.now = e.at
	if w.cfg.Clock != nil {
		w.cfg.Clock(w.time())
	}
	w.res.Events++
	e.do()
	return true
}
