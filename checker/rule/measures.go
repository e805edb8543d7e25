package rule

import (
	"container/heap"
	"math"
	"slices"

	"locktorture/history"
	"locktorture/timeline"
)

// Totals are sums over all locks.
type Totals struct {
	Acquire, Hold, Release, Notice timeline.Sample // ns, as Measures of the result has them
	PerClient                      map[int]int     // grants by client
	Overtaken                      int             // grants that overtook a longer waiter
	Bypasses                       int             // grants to readers that overtook a writer
	Untold, Tokenless, Ownerless   int             // leases whose holder was told no validity, token, or owner value
	Promised                       int             // leases that promised something
	RefusedStale                   int             // operations that a fenced store refused, and had to
}

// measuring adds up what is measured of a lock and not judged.
type measuring struct {
	run    *timeline.Run
	totals *Totals
	overtaking
}

func (r *measuring) check(p *timeline.Piece) {
	m := r.totals
	for _, g := range p.Fresh() {
		if g.Inner {
			continue
		}
		m.PerClient[g.Client]++
		m.Acquire.Add(g.Granted() - g.Inv.Time)
		if g.RelCall != nil {
			m.Hold.Add(g.RelCall.Time - g.Granted())
		}
		if g.RelRet != nil && g.RelRet.Type != history.Info {
			m.Release.Add(g.RelRet.Time - g.RelCall.Time)
		}
		if g.Lost != nil && g.Next != nil {
			if from := max(g.Next.Granted(), g.Granted()); from < timeline.ToldAt(g.Lost) {
				m.Notice.Add(timeline.ToldAt(g.Lost) - from)
			}
		}
		if !r.run.Options.Bounded || len(g.Answers) > 0 {
			m.Promised++
		}
		if len(g.Answers) == 0 && g.Over == nil {
			m.Untold++
		}
		if g.Token == 0 {
			m.Tokenless++
		}
		if g.Owner == "" {
			m.Ownerless++
		}
	}
	all, readers := r.overtaken(p)
	m.Overtaken += all
	m.Bypasses += readers
}

// waitQueue is a heap of waits by their call.
type waitQueue []*timeline.Call

func (q waitQueue) Len() int { return len(q) }

func (q waitQueue) Less(i, j int) bool { return q[i].Called < q[j].Called }

func (q waitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push and Pop are for package heap.
func (q *waitQueue) Push(x any) { *q = append(*q, x.(*timeline.Call)) }

// Pop removes the last element.
func (q *waitQueue) Pop() any {
	old := *q
	w := old[len(old)-1]
	*q = old[:len(old)-1]
	return w
}

// earliest returns the first call of those that still wait at a moment, MaxInt64 if there are none.
func (q *waitQueue) earliest(now int64) int64 {
	for len(*q) > 0 && (*q)[0].End <= now {
		heap.Pop(q)
	}
	if len(*q) == 0 {
		return math.MaxInt64
	}
	return (*q)[0].Called
}

// overtaking keeps who waits for a lock, to count who is overtaken.
type overtaking struct {
	called  []*timeline.Call // whom no grant has been compared with, by call
	queue   waitQueue
	writers waitQueue // those of the queue that ask for the whole lock
}

// overtaken counts the grants that returned while somebody was waiting who had called earlier,
// and those of readers that returned while a writer was.
func (o *overtaking) overtaken(p *timeline.Piece) (all, readers int) {
	called := append(o.called, p.Begun...)
	for _, g := range p.Fresh() {
		if g.Inner {
			continue
		}
		for ; len(called) > 0 && called[0].Called <= g.Granted(); called = called[1:] {
			heap.Push(&o.queue, called[0])
			if called[0].Writes() {
				heap.Push(&o.writers, called[0])
			}
		}
		if o.queue.earliest(g.Granted()) < g.Inv.Time {
			all++
		}
		if writer := o.writers.earliest(g.Granted()); g.Shared && writer < g.Inv.Time {
			readers++
		}
	}
	o.called = slices.Clone(called)
	return all, readers
}
