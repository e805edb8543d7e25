package checker_test

import (
	"fmt"
	"slices"
	"time"

	"locktorture/history"
)

func (d *damager) expiry() {
	i := d.one(isGrant)
	d.edit(func(op *history.Op) bool { return op.F == history.Probe }, func(op *history.Op) {
		switch op.Node = fmt.Sprintf("n%d", 1+d.r.IntN(8)/7); d.r.IntN(6) {
		case 0:
			op.Value, op.UntilMax = "", 0
		case 1:
			op.Value, op.UntilMax = d.h[i].Value, op.Time+int64(d.o.TTL)
		case 2:
			op.UntilMax = op.Time + int64(time.Second)*d.r.Int64N(4)
		case 3:
			op.UntilMax = history.Never
		default:
			if op.UntilMax < history.Never {
				op.UntilMax = max(1, op.UntilMax+d.somewhat())
			}
		}
		if op.Value == "" {
			op.UntilMax = 0
		}
		if op.Holds == nil && d.r.IntN(2) == 0 {
			op.UntilMin = max(1, op.Time-d.r.Int64N(1500*ms))
		}
	})
}

// probe looks at a server now and then from a grant on.
func (d *damager) probe() {
	i := d.one(isGrant)
	if i < 0 {
		return
	}
	node, until := fmt.Sprintf("n%d", 1+d.r.IntN(12)/11), d.h[i].Time+int64(d.o.TTL)+d.somewhat()/4
	owner, lock := d.h[i].Value, d.h[i].Lock
	every := 1 + d.r.IntN(8)
	for n := d.r.IntN(5); n >= 0 && i < len(d.h); n-- {
		op := history.Op{Time: d.h[i].Time, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: node, Value: owner, UntilMax: until}
		if d.r.IntN(12) == 0 {
			op.Value, op.UntilMax = "", 0
		}
		if d.r.IntN(3) == 0 {
			op.UntilMin = max(1, op.Time-d.r.Int64N(300*ms))
		}
		d.h = slices.Insert(d.h, i+1, op)
		if i += every; d.r.IntN(3) == 0 {
			until += int64(time.Second) + d.r.Int64N(200*ms)
		}
	}
}
