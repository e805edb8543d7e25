package linear

import (
	"fmt"
	"slices"
)

// A trace is a history made ready: every operation well formed, the order of
// each process known, processes numbered from 0 without gaps.
type trace struct {
	ops   []Operation
	order []int32 // indices, each process's operations in their order
	proc  []int32 // dense process number of each operation
	procs int
	next  []int32 // the same process's next operation, -1 at its last
	tied  bool    // some process called at the stamp at which it had returned
	opt   Options
}

// last reports whether i is the last operation of its process.
func (t *trace) last(i int32) bool { return t.next[i] < 0 }

// Validate reports the first operation that no recorder can have meant: one
// that returns before its call, names no function, or runs at the same time as
// another of its process. An operation of unknown outcome may be followed by
// others of the same process.
func Validate(ops []Operation) error {
	_, err := prepare(ops, Options{})
	return err
}

func prepare(ops []Operation, opt Options) (*trace, error) {
	t := &trace{ops: ops, opt: opt}
	top := 0
	for i := range ops {
		if why := illFormed(&ops[i]); why != "" {
			return nil, fmt.Errorf("operation %d (%v): %s", i, ops[i], why)
		}
		top = max(top, ops[i].Process)
	}
	t.number(top)
	t.order = make([]int32, len(ops))
	for i := range t.order {
		t.order[i] = int32(i)
	}
	// Recorders write each process in its order, and then nothing needs to be
	// sorted.
	ordered, err := t.chain()
	if !ordered {
		t.order = t.byCall()
		_, err = t.chain()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

func illFormed(o *Operation) string {
	switch {
	case o.F == 0 || int(o.F) >= len(functions):
		return "unknown function"
	case o.Status > Refused:
		return "unknown status"
	case o.Call == Never:
		return "called never"
	case o.Status != Pending && o.Return == Never:
		return "a known outcome, and no return"
	case o.Status != Pending && o.Return < o.Call:
		return "returned before its call"
	}
	return ""
}

// number gives each process a small number. Processes up to top are often
// small already, and a slice is several times faster than a map.
func (t *trace) number(top int) {
	t.proc = make([]int32, len(t.ops))
	small := make([]int32, min(top, 4*len(t.ops))+1)
	large := map[int]int32{}
	for i := range t.ops {
		p := t.ops[i].Process
		if p >= 0 && p < len(small) {
			if small[p] == 0 {
				t.procs++
				small[p] = int32(t.procs)
			}
			t.proc[i] = small[p] - 1
			continue
		}
		n, ok := large[p]
		if !ok {
			n = int32(t.procs)
			large[p] = n
			t.procs++
		}
		t.proc[i] = n
	}
}

// byCall returns all indices in the order of their calls, in that of each
// process where calls are equal.
func (t *trace) byCall() []int32 {
	order := byKey(len(t.order), func(k int32) int64 { return t.ops[t.order[k]].Call })
	for k, at := range order {
		order[k] = t.order[at]
	}
	return order
}

// sortByCall sorts some indices.
func (t *trace) sortByCall(some []int32) {
	slices.SortStableFunc(some, func(a, b int32) int { return compare(t.ops[a].Call, t.ops[b].Call) })
}

// chain links the operations of each process and sees whether one of them
// begins at the very stamp at which its predecessor ended. ordered is false if
// t.order has the operations of some process out of order.
func (t *trace) chain() (ordered bool, err error) {
	t.next, t.tied = make([]int32, len(t.ops)), false
	at := make([]int32, t.procs) // 1 + the process's operation before
	for _, i := range t.order {
		t.next[i] = -1
		p := t.proc[i]
		if j := at[p] - 1; j >= 0 {
			before, o := &t.ops[j], &t.ops[i]
			t.next[j] = i
			switch {
			case o.Call < before.Call:
				return false, nil
			case before.Status == Pending: // it may go on for ever
			case before.Return > o.Call:
				err = fmt.Errorf("process %d runs two operations at once: %v and %v", o.Process, *before, *o)
			case before.Return == o.Call:
				t.tied = true
			}
		}
		at[p] = i + 1
	}
	return true, err
}
