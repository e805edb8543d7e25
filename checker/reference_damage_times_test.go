package checker_test

import (
	"slices"

	"locktorture/history"
)

// drop removes an operation from its call to its end.
func (d *damager) drop() {
	i := d.one(func(op *history.Op) bool { return op.Type == history.Invoke && (op.F != history.Acquire) })
	if i < 0 {
		return
	}
	for j := i + 1; j < len(d.h); j++ {
		if d.h[j].Process == d.h[i].Process && d.h[j].F == d.h[i].F && d.h[j].Type != history.Invoke {
			d.h = slices.Delete(d.h, j, j+1)
			break
		}
	}
	d.h = slices.Delete(d.h, i, i+1)
}

// shift moves an entry to another time.
func (d *damager) shift() {
	i := d.one(func(op *history.Op) bool { return op.F != history.Stall })
	j := min(max(0, i-8+d.r.IntN(60)), len(d.h)-1)
	op, at := d.h[i], d.h[j].Time
	op.Time = at
	d.h = slices.Insert(slices.Delete(d.h, i, i+1), j, op)
}

// gap is a time in which nothing happens.
func (d *damager) gap() {
	by := d.r.Int64N(3 * int64(d.o.TTL))
	for i := d.r.IntN(len(d.h)); i < len(d.h); i++ {
		d.later(&d.h[i], by)
	}
}

// wait has a client wait for its next grant of a lock instead of what it did meanwhile;
// nothing happens at first.
func (d *damager) wait() {
	i := d.one(func(op *history.Op) bool { return op.F == history.Release && op.Type == history.OK })
	if i < 0 {
		return
	}
	p := d.h[i].Process
	i = d.next(i+1, func(op *history.Op) bool {
		return op.Process == p && op.F == history.Acquire && op.Type == history.Invoke
	})
	if i < 0 {
		return
	}
	call := d.h[i]
	end := d.next(min(i+10+d.r.IntN(40), len(d.h)), func(op *history.Op) bool {
		return op.Process == p && op.F == history.Acquire && op.Type != history.Invoke && (op.Lock == call.Lock || op.Lock == "")
	})
	if end < 0 {
		return
	}
	by := 200*ms + d.r.Int64N(400*ms)
	var kept history.History
	for n, op := range d.h {
		if op.Process == p && n > i && n < end {
			continue
		}
		if n > i {
			d.later(&op, by)
		}
		kept = append(kept, op)
	}
	d.h = kept
}

// later moves an entry and what it says of times.
func (d *damager) later(op *history.Op, by int64) {
	if op.Time += by; op.F == history.Stall {
		op.UntilMin += by
	}
	if isOK(history.Ask)(op) || op.F == history.Probe && op.Value != "" && op.UntilMax < history.Never {
		op.UntilMin, op.UntilMax = op.UntilMin+by, op.UntilMax+by
	}
}

// stamp gives an entry the time of the one before it.
func (d *damager) stamp() {
	if i := d.r.IntN(len(d.h)); i > 0 && d.h[i].F != history.Stall {
		d.h[i].Time = d.h[i-1].Time
	}
}
