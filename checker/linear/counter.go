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
	known  []int32 // increments that happened, by call
	all    []int32 // and those of unknown outcome
	reads  []tallyRead
	lo, hi []int64 // windows of the slots 1…R, at k-1
	loFrom []int32
	hiFrom []int32
	tail   int64 // increments after all reads happen at this time or later
}

func newSlots(t *trace) slots {
	n := len(t.ops)
	return slots{t: t, known: make([]int32, 0, n), all: make([]int32, 0, n), reads: make([]tallyRead, 0, n/2)}
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
			s.known = append(s.known, i)
			s.all = append(s.all, i)
		case o.F == Add && o.Delta == 1 && o.Status == Pending:
			s.all = append(s.all, i)
		default:
			return unknown(bySlots, "slots know increments by one and reads only, not "+o.String())
		}
	}
	if v := s.solve(); v != nil {
		return *v
	}
	return valid(bySlots)
}

// judgeInventory decides a stock that is sold and never refilled: sales are
// increments, and who is told "sold out" has read that all are gone.
func judgeInventory(t *trace) Verdict {
	s := newSlots(t)
	for _, i := range t.byCall() {
		o := &t.ops[i]
		switch {
		case o.F == Read && o.Status == Pending:
		case o.F == Read && o.Status == OK:
			s.reads = append(s.reads, tallyRead{t.opt.Stock - o.Number, o.Call, o.Return, i})
			if o.Number > t.opt.Stock || o.Number < 0 {
				return invalid(bySlots, fmt.Sprintf("%v, of a stock of %d", *o, t.opt.Stock), int(i))
			}
		case o.F == Sell && o.Status == Refused:
			s.reads = append(s.reads, tallyRead{t.opt.Stock, o.Call, o.Return, i})
		case o.F == Sell && o.Status == OK:
			s.known = append(s.known, i)
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

// bounded checks that no more was sold than there was: sales that fit no slot
// come after them.
func (s *slots) bounded(stock int64) Verdict {
	matched, _ := s.match(s.known, false)
	if over := int64(len(s.lo)) + int64(len(s.known)) - matched; over > stock {
		v := invalid(bySlots, fmt.Sprintf("at least %d units were sold of a stock of %d", over, stock))
		for _, i := range s.known {
			v.Witness = append(v.Witness, int(i))
		}
		return v
	}
	return valid(bySlots)
}

func (s *slots) solve() *Verdict {
	if v := s.windows(); v != nil {
		return v
	}
	if _, k := s.match(s.all, true); k >= 0 {
		v := invalid(bySlots, fmt.Sprintf("%v needs %d increments, of which too few can have happened by then", s.t.ops[s.hiFrom[k]], k+1), int(s.hiFrom[k]))
		if s.loFrom[k] >= 0 {
			v.Witness = append(v.Witness, int(s.loFrom[k]))
		}
		return &v
	}
	must := make([]int32, 0, len(s.known)) // they cannot come after all reads
	for _, i := range s.known {
		if s.t.ops[i].Return < s.tail {
			must = append(must, i)
		}
	}
	matched, _ := s.match(must, false)
	if matched < int64(len(must)) {
		v := invalid(bySlots, fmt.Sprintf("%d increments had returned before a read that cannot have seen more than %d of them", len(must), matched))
		for _, i := range must {
			v.Witness = append(v.Witness, int(i))
		}
		v.Witness = append(v.Witness, int(s.reads[len(s.reads)-1].op))
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
		v := invalid(bySlots, fmt.Sprintf("%v, and nothing counts down", s.t.ops[sorted[0].op]), int(sorted[0].op))
		return &v
	}
	top := sorted[len(sorted)-1]
	if top.value > int64(len(s.all)) {
		v := invalid(bySlots, fmt.Sprintf("%v, after at most %d increments", s.t.ops[top.op], len(s.all)), int(top.op))
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
			v := invalid(bySlots, fmt.Sprintf("%v, and later %v", s.t.ops[from], s.t.ops[s.loFrom[k]]), int(from), int(s.loFrom[k]))
			return &v
		}
	}
	return nil
}

// match puts increments, given by call, into slots, always the one that has to be placed
// soonest (Glover 1967), and returns how many it placed. With fill it stops at
// the first slot that stays empty and returns its index, else -1.
func (s *slots) match(ops []int32, fill bool) (placed int64, empty int) {
	waiting := make(soonest, 0, 64)
	next := 0
	for k := range s.lo {
		for ; next < len(ops) && s.t.ops[ops[next]].Call <= s.hi[k]; next++ {
			waiting.push(s.t.ops[ops[next]].end())
		}
		for len(waiting) > 0 && waiting[0] < s.lo[k] {
			waiting.pop()
		}
		if len(waiting) > 0 {
			waiting.pop()
			placed++
		} else if fill {
			return placed, k
		}
	}
	return placed, -1
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
