package linear

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

const byDeadline = "deadlines"

// judgeBarrier decides a barrier in O(n log n). A generation consists of as many entering
// operations as there are parties, all under way at one moment. The operation that returns
// first has to be in the next generation. The operations that return next are the best choice
// beside it, because those that return later can still be in later generations. An operation
// of unknown outcome returns last.
//
// Which operations may leave depends on who was in a generation. If more had come than a
// generation takes, another choice is possible. Then generations that fit prove a history
// valid, and generations that do not fit prove nothing.
func judgeBarrier(t *trace) Verdict {
	g := generations{t: t, of: make([]int32, len(t.ops))}
	if wrong := g.group(); wrong != nil {
		return *wrong
	}
	v := g.leaves()
	if v.Outcome == Invalid && g.choice {
		return unknown(byDeadline, "more parties had come than one generation takes, so it is not known to which generation each of them belongs")
	}
	return v
}

// generations groups the operations that enter.
type generations struct {
	t      *trace
	of     []int32 // by operation that enters: 1 + its generation; 0: none
	count  int32
	choice bool // some generation had more to choose from
}

// group finds generations, or an operation that entered before enough others
// had come.
func (g *generations) group() *Verdict {
	calls, returns := g.entered()
	come := &arrivals{t: g.t}
	for _, first := range returns {
		for g.of[first] == 0 { // operations that return at the same stamp may come before it
			for len(calls) > 0 && g.t.ops[calls[0]].Call <= g.t.ops[first].Return {
				heap.Push(come, calls[0])
				calls = calls[1:]
			}
			if come.Len() < g.t.opt.Parties {
				return g.alone(first, come)
			}
			g.next(come)
		}
	}
	return nil
}

// next makes a generation.
func (g *generations) next(come *arrivals) {
	g.choice = g.choice || come.Len() > g.t.opt.Parties
	g.count++
	for range g.t.opt.Parties {
		g.of[heap.Pop(come).(int32)] = g.count
	}
}

// entered returns the operations that enter by their calls, and those of known
// outcome by their returns.
func (g *generations) entered() (calls, returns []int32) {
	for _, i := range g.t.order {
		o := &g.t.ops[i]
		if o.F != Enter || o.Status == Refused {
			continue
		}
		if calls = append(calls, i); o.Status == OK {
			returns = append(returns, i)
		}
	}
	g.t.sortByCall(calls)
	slices.SortStableFunc(returns, func(a, b int32) int { return cmp.Compare(g.t.ops[a].Return, g.t.ops[b].Return) })
	return calls, returns
}

// alone returns the verdict on an operation beside which too few can have entered.
func (g *generations) alone(first int32, come *arrivals) *Verdict {
	witness := []int{int(first)}
	for _, i := range come.ops {
		if i != first {
			witness = append(witness, int(i))
		}
	}
	v := invalid(byDeadline, fmt.Sprintf("%v, although at most %d of %d parties can have come by then", g.t.ops[first], len(witness), g.t.opt.Parties), witness...)
	return &v
}

// arrivals is a heap of operations that enter and have no generation yet. The first to return
// is on top. Of those that never return, the last operations of their processes (which may
// have died) come first.
type arrivals struct {
	t   *trace
	ops []int32
}

func (a *arrivals) Len() int { return len(a.ops) }

func (a *arrivals) Less(i, k int) bool {
	if x, y := a.t.ops[a.ops[i]].end(), a.t.ops[a.ops[k]].end(); x != y {
		return x < y
	}
	return a.t.last(a.ops[i]) && !a.t.last(a.ops[k])
}

func (a *arrivals) Swap(i, k int) { a.ops[i], a.ops[k] = a.ops[k], a.ops[i] }

// Push implements heap.Interface.
func (a *arrivals) Push(i any) { a.ops = append(a.ops, i.(int32)) }

// Pop implements heap.Interface.
func (a *arrivals) Pop() any {
	last := a.ops[len(a.ops)-1]
	a.ops = a.ops[:len(a.ops)-1]
	return last
}
