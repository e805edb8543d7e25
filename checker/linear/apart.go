package linear

import (
	"math"
	"slices"
	"time"
)

// separated returns the trace on a finer clock, on which the operations of one
// process are strictly apart; nil if the stamps leave no room for that.
//
// A recorder can stamp a return and the next call of the same process alike.
// Between processes equal stamps are concurrent, within one they are not; both
// cannot always be had in one order of time. So the finer clock is a refinement: a history
// that is linearizable on it is linearizable. A history that is not, but is linearizable on
// the coarse clock without the order of processes, is left to the search, which knows that
// order without any clock.
//
// At one stamp calls come before returns, a call that follows a return of its
// own process comes after that return, and a return that nothing follows at
// this stamp comes last of all.
func (t *trace) separated() *trace {
	level, deepest := t.levels()
	factor := 2*int64(deepest) + 3
	fine := *t
	fine.tied = false
	fine.ops, fine.latest = slices.Clone(t.ops), Never
	limit := math.MaxInt64/factor - 1
	if int64(t.opt.TTL) > limit {
		return nil
	}
	fine.opt.TTL = t.opt.TTL * time.Duration(factor)
	for i := range fine.ops {
		o := &fine.ops[i]
		if o.Call > limit || o.Call < -limit || o.Status != Pending && o.Return > limit || o.TTL > limit {
			return nil
		}
		o.TTL *= factor
		n := t.next[i]
		followed := n >= 0 && o.Status != Pending && t.ops[n].Call == o.Return
		after := 2*int64(level[i]) + 1
		if o.Return != o.Call {
			after = 1
		}
		if !followed {
			after = factor - 1
		}
		o.Call = o.Call*factor + 2*int64(level[i])
		if o.Status != Pending {
			o.Return = o.Return*factor + after
		}
	}
	return &fine
}

// levels counts, for each operation, the earlier returns of its process at the stamp of its
// call.
func (t *trace) levels() (level []int32, deepest int32) {
	level = make([]int32, len(t.ops))
	for _, i := range t.order {
		o, n := &t.ops[i], t.next[i]
		if n >= 0 && o.Status == Pending && t.ops[n].Call == o.Call {
			level[n] = level[i]
		}
		if n < 0 || o.Status == Pending || t.ops[n].Call != o.Return {
			continue
		}
		level[n] = 1
		if o.Call == o.Return {
			level[n] = level[i] + 1
		}
		deepest = max(deepest, level[n])
	}
	return level, deepest
}
