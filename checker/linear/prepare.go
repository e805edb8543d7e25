package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// A trace is a history that is ready to be judged: every operation is well formed, the order
// of each process is known, and processes are numbered from 0 without gaps.
type trace struct {
	ops    []Operation
	order  []int32 // indices, each process's operations in their order
	proc   []int32 // dense process number of each operation
	procs  int
	grants int     // acquires that succeeded
	next   []int32 // the same process's next operation, -1 at its last
	latest int64   // the latest return
	tied   bool    // some process called at the stamp at which it had returned
	opt    Options
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
	t := &trace{ops: ops, opt: opt, order: make([]int32, len(ops)), proc: make([]int32, len(ops)), next: make([]int32, len(ops))}
	t.latest = -1 << 63
	n := numbers{limit: 4*len(ops) + 64}
	at := make([]int32, 0, 64) // by process: 1 + its operation before
	ordered := true
	var wrong error
	for i := range ops {
		o := &ops[i]
		if why := illFormed(o); why != "" {
			return nil, fmt.Errorf("operation %d (%v): %s", i, *o, why)
		}
		p := n.of(o.Process)
		if int(p) == len(at) {
			at = append(at, 0)
		}
		t.order[i], t.proc[i], t.next[i] = int32(i), p, -1
		if j := at[p] - 1; j >= 0 {
			t.next[j] = int32(i)
			ordered = ordered && ops[j].Call <= o.Call
			wrong = t.follow(&ops[j], o, wrong)
		}
		at[p] = int32(i) + 1
		if o.F == Acquire && o.Status == OK {
			t.grants++
		}
		if o.Status != Pending {
			t.latest = max(t.latest, o.Return)
		}
	}
	t.procs = len(at)
	if !ordered {
		wrong = t.reorder()
	}
	return t, wrong
}

// follow checks two successive operations of a process. It returns wrong if there was an error
// before, else the error that it finds.
func (t *trace) follow(before, o *Operation, wrong error) error {
	switch {
	case before.Status == Pending: // it may go on for ever
	case before.Return == o.Call:
		t.tied = true
	case before.Return > o.Call && wrong == nil:
		return fmt.Errorf("process %d runs two operations at once: %v and %v", o.Process, *before, *o)
	}
	return wrong
}

// reorder sorts by call where the operations of some process were not given
// in order. Recorders write them in order, so this is rare.
func (t *trace) reorder() (wrong error) {
	t.order, t.tied = t.byCall(), false
	at := make([]int32, t.procs)
	for _, i := range t.order {
		t.next[i] = -1
		p := t.proc[i]
		if j := at[p] - 1; j >= 0 {
			t.next[j] = i
			wrong = t.follow(&t.ops[j], &t.ops[i], wrong)
		}
		at[p] = i + 1
	}
	return wrong
}

// numbers gives each process a small number. Processes are often small
// already, and a slice is several times faster than a map.
type numbers struct {
	small []int32 // 1 + the number
	large map[int]int32
	count int32
	limit int
}

func (n *numbers) of(process int) int32 {
	if process >= 0 && process < len(n.small) && n.small[process] != 0 {
		return n.small[process] - 1
	}
	return n.new(process)
}

func (n *numbers) new(process int) int32 {
	if process < 0 || process >= n.limit {
		if k, ok := n.large[process]; ok {
			return k
		}
		if n.large == nil {
			n.large = map[int]int32{}
		}
		n.large[process] = n.count
		n.count++
		return n.count - 1
	}
	if process >= len(n.small) {
		n.small = append(n.small, make([]int32, process+1+len(n.small)/2-len(n.small)/4)...)
	}
	n.count++
	n.small[process] = n.count
	return n.count - 1
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
		return "a known outcome, but no return"
	case o.Status != Pending && o.Return < o.Call:
		return "returned before its call"
	case o.TTL < 0:
		return "a TTL below 0"
	}
	return ""
}

// byCall returns all indices in the order of their calls. Where calls are equal, the
// operations of each process stay in their order.
func (t *trace) byCall() []int32 {
	order := byKey(len(t.order), func(k int32) int64 { return t.ops[t.order[k]].Call })
	for k, at := range order {
		order[k] = t.order[at]
	}
	return order
}

// sortByCall sorts some indices.
func (t *trace) sortByCall(some []int32) {
	slices.SortStableFunc(some, func(a, b int32) int { return cmp.Compare(t.ops[a].Call, t.ops[b].Call) })
}
