package checker_test

import (
	"slices"

	"locktorture/history"
)

// unknown takes the outcome from an operation.
func (d *damager) unknown() {
	i := d.one(func(op *history.Op) bool {
		return (op.Type == history.OK || op.Type == history.Fail) && op.Client > 0 && !isGrant(op)
	})
	if i < 0 {
		return
	}
	op := &d.h[i]
	op.Type, op.Refused, op.UntilMin, op.UntilMax = history.Info, "", 0, 0
	if d.r.IntN(2) == 0 {
		op.Apply = 0
	}
	d.succeed(op.Process, i+1)
}

// crash kills a client, with what it had under way.
func (d *damager) crash() {
	i := d.one(func(op *history.Op) bool { return op.Client > 0 && op.Process > 0 })
	op := history.Op{Time: d.h[i].Time, Process: d.h[i].Process, Client: d.h[i].Client, Type: history.Info, F: history.Crash}
	if d.r.IntN(2) == 0 {
		op.UntilMin = max(1, op.Time-d.r.Int64N(30*ms))
	}
	if call := d.h[i]; call.Type == history.Invoke {
		for j := i + 1; j < len(d.h); j++ {
			if d.h[j].Process == call.Process && d.h[j].F == call.F {
				d.h = slices.Delete(d.h, j, j+1)
				break
			}
		}
	}
	d.h = slices.Insert(d.h, i+1, op)
	d.succeed(op.Process, i+2)
}

var faultKinds = []string{"pause", "pause", "hold", "partition", "clock", "client-clock", "restart", "failover", "latency", "leader", killed}

func (d *damager) someFault() history.Op {
	d.n++
	op := history.Op{Process: history.Nemesis, F: history.Fault, Fault: 1000 + d.n, Key: faultKinds[d.r.IntN(len(faultKinds))], Node: "n1"}
	if c := d.r.IntN(6); c > 0 && c < 5 {
		op.Client = c
	}
	return op
}

func (d *damager) fault() {
	op := d.someFault()
	if d.r.IntN(3) == 0 {
		op.UntilMin = 1 + d.r.Int64N(d.h[len(d.h)-1].Time+1)
	}
	i := d.insert(op)
	if op.UntilMin > d.h[i].Time {
		d.h[i].UntilMin = 0
	}
	if j := i + d.r.IntN(60); j < len(d.h) {
		op.F, op.UntilMin, op.Time, op.Type = history.Heal, 0, d.h[j].Time, history.Info
		d.h = slices.Insert(d.h, j+1, op)
	}
}

// missed is a fault that found nobody to strike.
func (d *damager) missed() {
	i := d.insert(d.someFault())
	d.h[i].Type, d.h[i].UntilMin = history.Fail, d.h[i].Time-d.r.Int64N(100*ms)
	d.h[i].UntilMin = max(0, d.h[i].UntilMin)
}

func (d *damager) stall() {
	i := d.insert(history.Op{Process: history.Harness, F: history.Stall})
	op := &d.h[i]
	op.UntilMin = max(0, op.Time-5*ms-d.r.Int64N(40*ms))
	for j := range d.h {
		if s := &d.h[j]; s.F == history.Stall && j < i {
			op.UntilMin = max(op.UntilMin, s.Time) // there is one heartbeat
		} else if s.F == history.Stall && j > i {
			s.UntilMin = max(s.UntilMin, op.Time)
		}
	}
}

func (d *damager) lost() {
	if i := d.one(isGrant); i >= 0 {
		g := d.h[i]
		j := min(i+1+d.r.IntN(50), len(d.h)-1)
		op := history.Op{Time: d.h[j].Time, Process: g.Process, Client: g.Client, Type: history.Info, F: history.Lost, Lock: g.Lock, Lease: g.Lease}
		if d.r.IntN(2) == 0 {
			op.UntilMin = max(1, op.Time-d.r.Int64N(20*ms))
		}
		d.h = slices.Insert(d.h, j+1, op)
	}
}
