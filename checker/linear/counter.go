package linear

import "fmt"

const bySlots = "slots"

// A tallyRead is a read of how many increments have happened.
type tallyRead struct {
	value  int64
	lo, hi int64
	op     int32
}

// A slots problem: increments that do not say which one they were, and reads
// that say how many there had been. The k-th increment happened in the window
// [lo, hi] that the reads leave it; windows grow with k, so the slots that an
// increment fits are consecutive, and whether all can be served is a matching
// in a convex bipartite graph.
type slots struct {
	t      *trace
	all    []int32 // increments, by call
	known  int     // how many increments certainly happened
	placed int64   // how many of these are in slots
	reads  []tallyRead
	lo, hi []int64 // windows of the slots 1…R, at k-1
	loFrom []int32
	hiFrom []int32
	tail   int64 // increments after all reads happen at this time or later
}

func newSlots(t *trace) slots {
	n := len(t.ops)
	return slots{t: t, all: make([]int32, 0, n), reads: make([]tallyRead, 0, n/2)}
}

// judgeCounter decides a counter of blind increments by one.
func judgeCounter(t *trace) Verdict {
	s := newSlots(t)
	for _, i := range t.byCall() {
		o := &t.ops[i]
		switch {
		case o.F == Read && o.Status == Pending:
		case o.F == Read && o.Status == OK:
			s.reads = append(s.reads, tallyRead{o.Number, o.Call, o.Return, i})
		case o.F == Add && o.Delta == 1 && o.Status == OK:
			s.all = append(s.all, i)
		case o.F == Add && o.Delta == 1 && o.Status == Pending:
			s.all = append(s.all, i)
		default:
			return unknown(bySlots, "only reads and increments by one are supported, not "+o.String())
		}
	}
	if v := s.solve(); v != nil {
		return *v
	}
	return valid(bySlots)
}

// judgeInventory decides a stock that is sold and never refilled: sales are
// increments, and a client that is told "sold out" has read that all units are gone.
func judgeInventory(t *trace) Verdict {
	s := newSlots(t)
	for _, i := range t.byCall() {
		o := &t.ops[i]
		switch {
		case o.F == Read && o.Status == Pending:
		case o.F == Read && o.Status == OK:
			s.reads = append(s.reads, tallyRead{t.opt.Stock - o.Number, o.Call, o.Return, i})
			if o.Number > t.opt.Stock || o.Number < 0 {
				return invalid(bySlots, fmt.Sprintf("%v, but the stock had %d units at the start", *o, t.opt.Stock), int(i))
			}
		case o.F == Sell && o.Status == Refused:
			s.reads = append(s.reads, tallyRead{t.opt.Stock, o.Call, o.Return, i})
		case o.F == Sell && o.Status == OK:
			s.known++
			s.all = append(s.all, i)
		case o.F == Sell:
			s.all = append(s.all, i)
		default:
			return unknown(bySlots, "an inventory has no "+o.F.String())
		}
	}
	if v := s.solve(); v != nil {
		return *v
	}
	return s.bounded(t.opt.Stock)
}

// bounded checks that no more was sold than there was. Sales that fit no slot come after all
// slots.
func (s *slots) bounded(stock int64) Verdict {
	if over := int64(len(s.lo)) + int64(s.known) - s.placed; over > stock {
		v := invalid(bySlots, fmt.Sprintf("at least %d units were sold, but the stock had only %d", over, stock))
		v.Witness = s.knownUntil(Never)
		return v
	}
	return valid(bySlots)
}

// knownUntil lists the increments that had happened by a time.
func (s *slots) knownUntil(end int64) (out []int) {
	for _, i := range s.all {
		if o := &s.t.ops[i]; o.Status == OK && o.Return < end {
			out = append(out, int(i))
		}
	}
	return out
}

func (s *slots) solve() *Verdict {
	if v := s.windows(); v != nil {
		return v
	}
	empty, missed := s.match()
	if empty >= 0 {
		v := invalid(bySlots, fmt.Sprintf("%v needs %d increments, but fewer can have happened by then", s.t.ops[s.hiFrom[empty]], empty+1), int(s.hiFrom[empty]))
		if s.loFrom[empty] >= 0 {
			v.Witness = append(v.Witness, int(s.loFrom[empty]))
		}
		return &v
	}
	if missed > 0 {
		v := invalid(bySlots, fmt.Sprintf("%d increments had returned before a read that does not include them", missed))
		v.Witness = append(s.knownUntil(s.tail), int(s.reads[len(s.reads)-1].op))
		return &v
	}
	return nil
}

// windows computes the windows of the slots up to the greatest value read.
func (s *slots) windows() *Verdict {
	order := byKey(len(s.reads), func(i int32) int64 { return s.reads[i].value })
	sorted := make([]tallyRead, len(order))
	s.tail = -1 << 63
	for k, i := range order {
		sorted[k] = s.reads[i]
		s.tail = max(s.tail, sorted[k].lo)
	}
	s.reads = sorted
	if len(sorted) == 0 {
		return nil
	}
	if sorted[0].value < 0 {
		v := invalid(bySlots, fmt.Sprintf("%v, but no operation counts down", s.t.ops[sorted[0].op]), int(sorted[0].op))
		return &v
	}
	top := sorted[len(sorted)-1]
	if top.value > int64(len(s.all)) {
		v := invalid(bySlots, fmt.Sprintf("%v, but there were at most %d increments", s.t.ops[top.op], len(s.all)), int(top.op))
		return &v
	}
	n := int(top.value)
	s.lo, s.hi, s.loFrom, s.hiFrom = make([]int64, n), make([]int64, n), make([]int32, n), make([]int32, n)
	lo, from, r := int64(-1<<63), int32(-1), 0
	for k := range n { // slot k+1: after every read of a value ≤ k
		for ; r < len(sorted) && sorted[r].value <= int64(k); r++ {
			if sorted[r].lo > lo {
				lo, from = sorted[r].lo, sorted[r].op
			}
		}
		s.lo[k], s.loFrom[k] = lo, from
	}
	hi, from, r := int64(Never), int32(-1), len(sorted)-1
	for k := n - 1; k >= 0; k-- { // before every read of a value ≥ k+1
		for ; r >= 0 && sorted[r].value >= int64(k+1); r-- {
			if sorted[r].hi < hi {
				hi, from = sorted[r].hi, sorted[r].op
			}
		}
		s.hi[k], s.hiFrom[k] = hi, from
		if s.lo[k] > hi {
			v := invalid(bySlots, fmt.Sprintf("%v, but later %v", s.t.ops[from], s.t.ops[s.loFrom[k]]), int(from), int(s.loFrom[k]))
			return &v
		}
	}
	return nil
}

// match puts increments into slots, always the one that has to be placed
// soonest (Glover 1967). It returns the first slot that stays empty, or -1, and
// how many increments fit neither a slot nor the time after all reads. All
// slots must be filled, and all of the increments that cannot come later must be
// placed; if each can be had alone, both can (Mendelsohn and Dulmage 1958). The
// latter have the nearer deadlines, so one pass answers both.
func (s *slots) match() (empty int, missed int) {
	waiting := make(soonest, 0, 64)
	next := 0
	for k := range s.lo {
		for ; next < len(s.all) && s.t.ops[s.all[next]].Call <= s.hi[k]; next++ {
			waiting.push(s.t.ops[s.all[next]].end())
		}
		for len(waiting) > 0 && waiting[0] < s.lo[k] {
			waiting.pop()
			missed++
		}
		if len(waiting) == 0 {
			return k, missed
		}
		if waiting[0] != Never {
			s.placed++
		}
		waiting.pop()
	}
	for ; next < len(s.all); next++ {
		waiting.push(s.t.ops[s.all[next]].end())
	}
	for len(waiting) > 0 && waiting[0] < s.tail {
		waiting.pop()
		missed++
	}
	return -1, missed
}

// soonest is a heap of deadlines.
type soonest []int64

func (h *soonest) push(x int64) {
	*h = append(*h, x)
	a := *h
	for i := len(a) - 1; i > 0 && a[(i-1)/2] > a[i]; i = (i - 1) / 2 {
		a[i], a[(i-1)/2] = a[(i-1)/2], a[i]
	}
}

func (h *soonest) pop() {
	a := *h
	n := len(a) - 1
	a[0] = a[n]
	a = a[:n]
	*h = a
	for i := 0; ; {
		c := 2*i + 1
		if c >= n {
			return
		}
		if c+1 < n && a[c+1] < a[c] {
			c++
		}
		if a[i] <= a[c] {
			return
		}
		a[i], a[c] = a[c], a[i]
		i = c
	}
}
