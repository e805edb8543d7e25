package checker_test

import (
	"slices"

	"locktorture/history"
)

func (d *damager) token() {
	i := d.one(isGrant)
	d.edit(isGrant, func(op *history.Op) {
		switch d.r.IntN(4) {
		case 0:
			op.Token = 0
		case 1:
			op.Token += uint64(d.r.IntN(4))
		default:
			op.Token = d.h[i].Token
		}
	})
}

func (d *damager) validity() {
	d.edit(isOK(history.Ask), func(op *history.Op) {
		by := d.somewhat()
		if d.r.IntN(3) == 0 { // from now on
			by = op.Time - op.UntilMax + d.r.Int64N(20*ms)
		}
		op.UntilMin, op.UntilMax = max(1, op.UntilMin+by), max(1, op.UntilMax+by)
	})
}

func (d *damager) over() {
	d.edit(isOK(history.Ask), func(op *history.Op) {
		op.Type, op.Refused, op.UntilMin, op.UntilMax = history.Fail, history.ByClient, 0, 0
	})
}

// reenter is a call for a lock by its holder, in some cases as its client's next process.
func (d *damager) reenter() {
	i := d.one(isGrant)
	if i < 0 {
		return
	}
	outer := d.h[i]
	for n := d.r.IntN(6); n > 0 && i+1 < len(d.h); n-- {
		i++
	}
	d.n++
	call := history.Op{Time: d.h[i].Time, Process: outer.Process, Client: outer.Client, Type: history.Invoke, F: history.Acquire, Lock: outer.Lock}
	if d.r.IntN(3) == 0 {
		d.succeed(outer.Process, i+1)
		call.Process = 10000*d.n + outer.Process
	}
	end := call
	end.Type, end.Lease, end.Token, end.Value = history.OK, int64(100000+d.n), outer.Token, outer.Value
	switch d.r.IntN(4) {
	case 0:
		end.Token++
	case 1:
		end.Type, end.Lease, end.Token, end.Value, end.Refused = history.Fail, 0, 0, "", history.ByServer
	}
	list := []history.Op{call, end}
	if d.r.IntN(2) == 0 && end.Type == history.OK {
		call.F, call.Lease = history.Release, end.Lease
		end = call
		end.Type = history.OK
		list = append(list, call, end)
	}
	d.h = slices.Insert(d.h, i+1, list...)
}

// renew adds a renewal that is dropped in others.
func (d *damager) renew() {
	if i := d.one(isOK(history.Ask)); i >= 0 {
		call := d.h[i]
		call.F, call.Type, call.UntilMin, call.UntilMax = history.Renew, history.Invoke, 0, 0
		end := call
		end.Type = history.OK
		d.h = slices.Insert(d.h, i+1, call, end)
	}
}
