package checker

import (
	"container/heap"
	"math"
	"slices"

	"locktorture/history"
)

// totals are sums over all locks.
type totals struct {
	acquire, hold, release, notice Sample
	perClient                      map[int]int
	overtaken, bypasses            int
	untold, tokenless, ownerless   int // leases
	promised                       int // leases that promised something
	refusedStale                   int // operations that a fenced store refused and had to
}

// measuring adds up what is measured of a lock and not judged.
type measuring struct {
	run    *survey
	totals *totals
	overtaking
}

func (r *measuring) check(p *piece) {
	m := r.totals
	for _, g := range p.fresh() {
		if g.inner {
			continue
		}
		m.perClient[g.client]++
		m.acquire.Add(g.granted() - g.inv.Time)
		if g.relCall != nil {
			m.hold.Add(g.relCall.Time - g.granted())
		}
		if g.relRet != nil && g.relRet.Type != history.Info {
			m.release.Add(g.relRet.Time - g.relCall.Time)
		}
		if g.lost != nil && g.next != nil {
			if from := max(g.next.granted(), g.granted()); from < toldAt(g.lost) {
				m.notice.Add(toldAt(g.lost) - from)
			}
		}
		if !r.run.o.Bounded || len(g.answers) > 0 {
			m.promised++
		}
		if len(g.answers) == 0 && g.over == nil {
			m.untold++
		}
		if g.token == 0 {
			m.tokenless++
		}
		if g.owner == "" {
			m.ownerless++
		}
	}
	all, readers := r.overtaken(p)
	m.overtaken += all
	m.bypasses += readers
}

// waitQueue is a heap of waits by their call.
type waitQueue []*wait

func (q waitQueue) Len() int { return len(q) }

func (q waitQueue) Less(i, j int) bool { return q[i].call < q[j].call }

func (q waitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push and Pop are for package heap.
func (q *waitQueue) Push(x any) { *q = append(*q, x.(*wait)) }

// Pop removes the last element.
func (q *waitQueue) Pop() any {
	old := *q
	w := old[len(old)-1]
	*q = old[:len(old)-1]
	return w
}

// earliest is the first call of those that wait still at a moment, MaxInt64 if there are none.
func (q *waitQueue) earliest(now int64) int64 {
	for len(*q) > 0 && (*q)[0].end <= now {
		heap.Pop(q)
	}
	if len(*q) == 0 {
		return math.MaxInt64
	}
	return (*q)[0].call
}

// overtaking keeps who waits for a lock, to count who is overtaken.
type overtaking struct {
	called  []*wait // whom no grant has been compared with, by call
	queue   waitQueue
	writers waitQueue // those of the queue that ask for the whole lock
}

// overtaken counts the grants that returned while somebody was waiting who had called earlier,
// and those of readers that returned while a writer was.
func (o *overtaking) overtaken(p *piece) (all, readers int) {
	called := append(o.called, p.begun...)
	for _, g := range p.fresh() {
		if g.inner {
			continue
		}
		for ; len(called) > 0 && called[0].call <= g.granted(); called = called[1:] {
			heap.Push(&o.queue, called[0])
			if called[0].writes() {
				heap.Push(&o.writers, called[0])
			}
		}
		if o.queue.earliest(g.granted()) < g.inv.Time {
			all++
		}
		if writer := o.writers.earliest(g.granted()); g.shared && writer < g.inv.Time {
			readers++
		}
	}
	o.called = slices.Clone(called)
	return all, readers
}
