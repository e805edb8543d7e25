package checker_test

import (
	"locktorture/history"
)

// refuse has a fenced store refuse what it did, or do what it refused.
func (d *damager) refuse() {
	d.edit(func(op *history.Op) bool {
		return op.Store == history.Fenced && op.Lease > 0 && op.Type != history.Invoke
	}, func(op *history.Op) {
		if op.Type == history.OK {
			op.Type, op.Refused, op.Apply = history.Fail, history.ByStore, 0
			return
		}
		d.n++
		op.Type, op.Refused, op.Apply = history.OK, "", int64(100000+d.n)
	})
}

// reorder has two operations applied in each other's place.
func (d *damager) reorder() {
	done := func(op *history.Op) bool { return op.Apply > 0 }
	if i, j := d.one(done), d.one(done); i >= 0 && max(i, j)-min(i, j) < 30 {
		d.h[i].Apply, d.h[j].Apply = d.h[j].Apply, d.h[i].Apply
	}
}
