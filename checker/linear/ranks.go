package linear

import (
	"cmp"
	"slices"
)

// separated returns the trace with ranks for stamps, in which the operations
// of one process are strictly apart.
//
// A recorder can stamp a return and the next call of the same process alike.
// Between processes equal stamps are concurrent, within one they are not; both
// cannot always be had in one order of time. So the ranks are a refinement:
// what is linearizable by rank is linearizable, and what is not has to be
// looked at again by the search, which knows the order of each process
// without any ranks.
//
// At one stamp calls come before returns, a call that follows a return of its
// own process comes after that return, and a return that nothing follows at
// this stamp comes last of all.
func (t *trace) separated() *trace {
	type event struct {
		time  int64
		level int32
		ret   bool
		op    int32
	}
	events := make([]event, 0, 2*len(t.ops))
	level := make([]int32, t.procs)  // of the process's latest event
	latest := make([]int64, t.procs) // its stamp
	for i := range latest {
		latest[i] = -1 << 63
	}
	const lastOfAll = 1 << 30
	for _, i := range t.order {
		o, p := &t.ops[i], t.proc[i]
		if o.Call != latest[p] {
			level[p] = 0
		} else {
			level[p]++
		}
		events = append(events, event{o.Call, level[p], false, i})
		latest[p] = o.Call
		if o.Status == Pending {
			continue
		}
		if o.Return != o.Call {
			level[p] = 0
		}
		l := level[p]
		if n := t.next[i]; n < 0 || t.ops[n].Call != o.Return {
			l = lastOfAll
		}
		events = append(events, event{o.Return, l, true, i})
		latest[p] = o.Return
	}
	slices.SortStableFunc(events, func(a, b event) int {
		if c := cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.level, b.level)); c != 0 {
			return c
		}
		if a.ret == b.ret {
			return 0
		}
		if b.ret {
			return -1
		}
		return 1
	})
	ranked := *t
	ranked.tied = false
	ranked.ops = slices.Clone(t.ops)
	for rank, e := range events {
		if e.ret {
			ranked.ops[e.op].Return = int64(rank)
		} else {
			ranked.ops[e.op].Call = int64(rank)
		}
	}
	ranked.order = byKey(len(t.ops), func(i int32) int64 { return ranked.ops[i].Call })
	return &ranked
}
