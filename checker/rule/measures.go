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
	// Acquire is the time from a call to its grant, Hold from there to the call of the release,
	// Release from that call to its answer, and Notice from the next grant to the report of the loss.
	Acquire, Hold, Release, Notice timeline.Sample // ns, as Measures of the result has them
	// PerClient shows how evenly the clients were served (Jain's index).
	PerClient map[int]int // grants by client
	// Overtaken and Bypasses are no anomalies: calls may reach the service in another order than they
	// were made, and many locks declare none. A declared order is judged by the rule unfair.
	Overtaken int // grants that overtook a longer waiter
	Bypasses  int // grants to readers that overtook a writer
	// The next three bound what a verdict may claim. A property is kept only if a violation could
	// have been seen.
	Untold, Tokenless, Ownerless int // leases whose holder was told no validity, token, or owner value
	// Promised counts towards min_grants. Where leases declare a validity, a grant that reported none
	// shows nothing about the lock.
	Promised int // leases that promised something
	// A run in which exclusion was violated is fenced only if there was one of these.
	RefusedStale int // operations that a fenced store refused, and had to
}

// measuring adds up what is measured about a lock but not judged.
type measuring struct {
	run    *timeline.Run
	totals *Totals
	overtaking
}

func (r *measuring) check(p *timeline.Piece) {
	m := r.totals
	for _, g := range p.Fresh() {
		// The hold of a re-entry lies within the hold of its outer lease.
		if g.Inner {
			continue
		}
		m.PerClient[g.Client]++
		m.Acquire.Add(g.Granted() - g.Inv.Time)
		if g.RelCall != nil {
			m.Hold.Add(g.RelCall.Time - g.Granted())
		}
		// Nobody knows how long the service took for a release of unknown outcome.
		if g.RelRet != nil && g.RelRet.Type != history.Info {
			m.Release.Add(g.RelRet.Time - g.RelCall.Time)
		}
		// A notice before the next grant is not late. A holder whose own grant was answered late is
		// measured from that answer.
		if g.Lost != nil && g.Next != nil {
			if from := max(g.Next.Granted(), g.Granted()); from < timeline.ToldAt(g.Lost) {
				m.Notice.Add(timeline.ToldAt(g.Lost) - from)
			}
		}
		// Where leases declare no validity, the grant itself is the promise.
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
//
// Calls end in another order than they begin. A call that is over stays until it comes to the head,
// so a lock with many waiters costs O(log n) for each call.
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

// earliest returns the time of the first call that still waits at a moment; MaxInt64 if none
// does.
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
	called  []*timeline.Call // calls that no grant has been compared with yet, by call
	queue   waitQueue
	writers waitQueue // the calls of the queue that ask for the whole lock
}

// overtaken counts the grants that returned while somebody was still waiting who had called
// earlier. readers counts the grants to readers that returned while such a writer was waiting.
// Both moments are measured at the clients. An earlier call can have reached the service
// later.
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
	// A copy: the slice itself would keep the calls of the whole piece in memory.
	o.called = slices.Clone(called)
	return all, readers
}
