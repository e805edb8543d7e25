package simulate

import (
	"container/heap"
	"errors"
	"time"
)

// A clock is the virtual time of a run, with the events that are planned for it.
type clock struct {
	now    int64 // ns since the start
	opened int64 // time at which the harness was started
	seq    uint64
	atOnce int
	queue  events
	passed int64       // number of events so far
	heard  func(int64) // see Config.Clock; may be nil
}

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
func (k *clock) at(t int64, do func()) {
	k.seq++
	heap.Push(&k.queue, event{max(t, k.now), k.seq, do})
}

// time returns the time since the start of the harness.
func (k *clock) time() int64 { return k.now - k.opened }

// after plans an event at d from now.
func (k *clock) after(d time.Duration, do func()) { k.at(k.now+int64(d), do) }

// mostAtOnce bounds the number of events at one time. More of them mean that virtual time no longer
// advances.
const mostAtOnce = 1_000_000

// next executes the next event. It is an error if there is none.
func (k *clock) next() error {
	if len(k.queue) == 0 {
		return errors.New("no event is planned, and the harness has not ended")
	}
	e := heap.Pop(&k.queue).(event)
	if k.atOnce++; e.at > k.now {
		k.atOnce = 0
	}
	if k.atOnce > mostAtOnce {
		return errors.New("virtual time does not advance")
	}
	k.now = e.at
	if k.heard != nil {
		k.heard(k.time())
	}
	k.passed++
	e.do()
	return nil
}
