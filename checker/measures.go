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

// measure adds what is measured of new leases.
func (v *view) measure(l *lockView) {
	m := &v.totals
	if m.perClient == nil {
		m.perClient = map[int]int{}
	}
	for _, g := range l.fresh() {
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
		if !v.o.Bounded || len(g.answers) > 0 {
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
	all, readers := l.overtaking.overtaken(l)
	m.overtaken += all
	m.bypasses += readers
}

// measures are what is measured and not judged.
func (v *view) measures() Measures {
	t := &v.totals
	m := Measures{
		Acquire: t.acquire.quantiles(), Hold: t.hold.quantiles(), Release: t.release.quantiles(),
		Recovery: v.recoveries.quantiles(), NoticeLag: t.notice.quantiles(), Jain: v.jain(t.perClient), LongestStop: v.longestStop(), OutOfOrder: t.overtaken, Bypasses: t.bypasses,
	}
	if v.end > 0 {
		m.GrantRate = float64(v.counts.Grants) / (float64(v.end) / 1e9)
	}
	return m
}

// longestStop is for how long a client was stopped at most.
func (v *survey) longestStop() int64 {
	most := int64(0)
	for _, s := range v.faults {
		if s.effect(history.Stopped) && s.fault.Client > 0 {
			most = max(most, min(s.to, v.end)-s.from)
		}
	}
	return most
}

// jain is Jain's index of the grants over the clients: 1 if all got as many,
// 1/n if one got them all.
func (v *view) jain(perClient map[int]int) float64 {
	var sum, squares float64
	for _, n := range perClient {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	n := float64(max(len(v.clients), len(perClient)))
	if squares == 0 {
		return 0
	}
	return sum * sum / (n * squares)
}

// waitQueue is a heap of waits by their call.
type waitQueue []*wait

func (q waitQueue) Len() int           { return len(q) }
func (q waitQueue) Less(i, j int) bool { return q[i].call < q[j].call }
func (q waitQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

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
func (o *overtaking) overtaken(l *lockView) (all, readers int) {
	called := append(o.called, l.called...)
	l.called = nil
	for _, g := range l.fresh() {
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
