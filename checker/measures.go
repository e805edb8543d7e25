package checker

import (
	"container/heap"
	"slices"

	"locktorture/history"
)

// measures computes what is measured and not judged.
func (v *view) measures() Measures {
	var acquire, hold, release, notice []int64
	perClient := make(map[int]int)
	grants := 0
	for _, l := range v.locks {
		for _, g := range l.leases {
			grants++
			perClient[g.client]++
			acquire = append(acquire, g.granted()-g.inv.Time)
			if g.relCall != nil {
				hold = append(hold, g.relCall.Time-g.granted())
			}
			if g.relRet != nil && g.relRet.Type != history.Info {
				release = append(release, g.relRet.Time-g.relCall.Time)
			}
			if g.lost != nil && g.next != nil && g.next.granted() < toldAt(g.lost) {
				notice = append(notice, toldAt(g.lost)-g.next.granted())
			}
		}
	}
	m := Measures{
		Acquire: quantiles(acquire), Hold: quantiles(hold), Release: quantiles(release),
		Recovery: quantiles(v.recoveries()), NoticeLag: quantiles(notice), Jain: v.jain(perClient),
	}
	if v.end > 0 {
		m.GrantRate = float64(grants) / (float64(v.end) / 1e9)
	}
	for _, l := range v.locks {
		m.OutOfOrder += l.overtaken()
	}
	return m
}

func quantiles(sample []int64) Quantiles {
	n := len(sample)
	if n == 0 {
		return Quantiles{}
	}
	slices.Sort(sample)
	q := func(p int) int64 { return sample[(n-1)*p/100] }
	return Quantiles{N: n, P50: q(50), P90: q(90), P99: q(99), Max: sample[n-1]}
}

// recoveries are the times from a fault to the next grant of any lock.
func (v *view) recoveries() []int64 {
	var grants []int64
	for _, l := range v.locks {
		for _, g := range l.leases {
			grants = append(grants, g.granted())
		}
	}
	slices.Sort(grants)
	var out []int64
	for _, s := range v.faults {
		if i, _ := slices.BinarySearch(grants, s.from); i < len(grants) {
			out = append(out, grants[i]-s.from)
		}
	}
	return out
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

// overtaken counts the grants that returned while somebody was waiting who
// had called earlier.
func (l *lockView) overtaken() int {
	var q waitQueue
	n, i := 0, 0
	for _, g := range l.leases {
		for ; i < len(l.waits) && l.waits[i].call <= g.granted(); i++ {
			heap.Push(&q, l.waits[i])
		}
		for len(q) > 0 && q[0].end <= g.granted() {
			heap.Pop(&q)
		}
		if len(q) > 0 && q[0].call < g.inv.Time {
			n++
		}
	}
	return n
}
