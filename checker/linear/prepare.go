package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// A trace is a history made ready: every operation well formed, its place in
// the order of calls known, processes numbered from 0 without gaps.
type trace struct {
	ops   []Operation
	order []int32 // indices by call, and as given where calls are equal
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
	for i := range ops {
		if err := wellFormed(&ops[i]); err != nil {
			return nil, fmt.Errorf("operation %d (%v): %w", i, ops[i], err)
		}
	}
	t.order = byKey(len(ops), func(i int32) int64 { return ops[i].Call })
	t.number()
	if err := t.chain(); err != nil {
		return nil, err
	}
	return t, nil
}

func wellFormed(o *Operation) error {
	switch {
	case o.F == 0 || int(o.F) >= len(functions):
		return fmt.Errorf("unknown function")
	case o.Status > Refused:
		return fmt.Errorf("unknown status %d", o.Status)
	case o.Call == Never:
		return fmt.Errorf("called never")
	case o.Status != Pending && o.Return == Never:
		return fmt.Errorf("a known outcome, and no return")
	case o.Status != Pending && o.Return < o.Call:
		return fmt.Errorf("returned before its call")
	}
	return nil
}

// number gives each process a small number. Processes are often small
// already, and a slice is several times faster than a map.
func (t *trace) number() {
	t.proc = make([]int32, len(t.ops))
	small := make([]int32, 4*len(t.ops)+64)
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

// chain links the operations of each process and sees whether one of them
// begins at the very stamp at which its predecessor ended.
func (t *trace) chain() error {
	t.next = make([]int32, len(t.ops))
	at := make([]int32, t.procs) // 1 + the process's operation before
	for _, i := range t.order {
		t.next[i] = -1
		p := t.proc[i]
		if j := at[p] - 1; j >= 0 {
			before, o := &t.ops[j], &t.ops[i]
			t.next[j] = i
			switch {
			case before.Status == Pending: // it may go on for ever
			case before.Return > o.Call:
				return fmt.Errorf("process %d runs two operations at once: %v and %v", o.Process, *before, *o)
			case before.Return == o.Call:
				t.tied = true
			}
		}
		at[p] = i + 1
	}
	return nil
}

// byKey returns 0…n-1 in the order of their keys, stable. A history comes
// mostly in order, so that is looked at first; else it is a radix sort.
func byKey(n int, key func(int32) int64) []int32 {
	order := make([]int32, n)
	sorted := true
	var all uint64
	first := uint64(0)
	if n > 0 {
		first = uint64(key(0))
	}
	for i := range order {
		order[i] = int32(i)
		all |= uint64(key(int32(i))) ^ first
		sorted = sorted && (i == 0 || key(int32(i-1)) <= key(int32(i)))
	}
	if sorted {
		return order
	}
	if n < 1<<10 {
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(key(a), key(b)) })
		return order
	}
	return radix(order, key, all)
}

// radix sorts by the 11-bit digits in which the keys differ.
func radix(order []int32, key func(int32) int64, differ uint64) []int32 {
	const bits = 11
	other := make([]int32, len(order))
	for shift := 0; shift < 64; shift += bits {
		if differ>>shift&(1<<bits-1) == 0 {
			continue
		}
		digit := func(i int32) uint64 { return (uint64(key(i)) ^ 1<<63) >> shift & (1<<bits - 1) }
		var start [1<<bits + 1]int32
		for _, i := range order {
			start[digit(i)+1]++
		}
		for d := range 1 << bits {
			start[d+1] += start[d]
		}
		for _, i := range order {
			d := digit(i)
			other[start[d]] = i
			start[d]++
		}
		order, other = other, order
	}
	return order
}
