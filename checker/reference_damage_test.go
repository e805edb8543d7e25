package checker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A damager spoils a history entry by entry. What is no history any longer it takes back.
type damager struct {
	r *rand.Rand
	o checker.Options
	h history.History
	n int // of what it has added
}

// damaged is a history of a random lock with random damages.
func damaged(r *rand.Rand) (history.History, checker.Options) {
	coin := func() bool { return r.IntN(2) == 0 }
	o := checker.Options{Model: "lease", Bounded: coin(), Watched: coin(), Tokens: coin(), Expires: coin(), Reentrant: coin(), Fair: r.IntN(3) > 0, Retry: 50 * time.Millisecond}
	o.TTL = []time.Duration{200, 600, 2000}[r.IntN(3)] * time.Millisecond
	o.FreeWithin = o.TTL + o.Retry
	d := &damager{r: r, o: o, h: wild(r, o)}
	d.h = d.h[:len(d.h)-1]
	edits := []func(){
		d.token, d.validity, d.validity, d.expiry, d.expiry, d.drop, d.shift, d.shift, d.shift, d.unknown, d.crash, d.fault, d.missed, d.stall,
		d.lost, d.over, d.gap, d.gap, d.reenter, d.reenter, d.stamp, d.refuse, d.reorder, d.renew, d.probe, d.probe, d.wait, d.wait,
	}
	for n := 10 * r.IntN(2); n > 0; n-- { // a queue that is long
		d.try(d.wait)
	}
	for range r.IntN(40) {
		d.try(edits[r.IntN(len(edits))])
	}
	o.Model = "" // the search for an order has an oracle of its own
	return ended(d.h, history.Complete), o
}

func (d *damager) try(edit func()) {
	before := slices.Clone(d.h)
	if edit(); history.Validate(d.h) != nil {
		d.h = before
	}
}

// one is the place of a random entry that matches, -1 for none.
func (d *damager) one(match func(op *history.Op) bool) int {
	found, n := -1, 0
	for i := range d.h {
		if match(&d.h[i]) {
			if n++; d.r.IntN(n) == 0 {
				found = i
			}
		}
	}
	return found
}

func isGrant(op *history.Op) bool {
	return op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try)
}

func isOK(f history.F) func(op *history.Op) bool {
	return func(op *history.Op) bool { return op.F == f && op.Type == history.OK }
}

// edit changes a random entry that matches.
func (d *damager) edit(match func(op *history.Op) bool, change func(op *history.Op)) {
	if i := d.one(match); i >= 0 {
		change(&d.h[i])
	}
}

// insert puts an event behind a random entry.
func (d *damager) insert(op history.Op) int {
	i := d.r.IntN(len(d.h)) + 1
	op.Time, op.Type = d.h[i-1].Time, history.Info
	d.h = slices.Insert(d.h, i, op)
	return i
}

func (d *damager) somewhat() int64 { return d.r.Int64N(2*int64(d.o.TTL)) - int64(d.o.TTL) }

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
		d.h = slices.Insert(d.h, i+1, op)
		if i += every; d.r.IntN(3) == 0 {
			until += int64(time.Second) + d.r.Int64N(200*ms)
		}
	}
}

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

// succeed gives what a process does from an entry on to a new one.
func (d *damager) succeed(process, from int) {
	d.n++
	for i := from; i < len(d.h); i++ {
		if d.h[i].Process == process {
			d.h[i].Process = 10000*d.n + process
		}
	}
}

func (d *damager) over() {
	d.edit(isOK(history.Ask), func(op *history.Op) {
		op.Type, op.Refused, op.UntilMin, op.UntilMax = history.Fail, history.ByClient, 0, 0
	})
}

// gap is a time in which nothing happens.
func (d *damager) gap() {
	by := d.r.Int64N(3 * int64(d.o.TTL))
	for i := d.r.IntN(len(d.h)); i < len(d.h); i++ {
		d.later(&d.h[i], by)
	}
}

// reenter is a call for a lock by its holder.
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

// wait has a client wait for its next grant of a lock instead of what it did meanwhile; nothing happens at first.
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

// next is the first entry from i on that matches, -1 for none.
func (d *damager) next(i int, match func(op *history.Op) bool) int {
	for ; i < len(d.h); i++ {
		if match(&d.h[i]) {
			return i
		}
	}
	return -1
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

// stamp gives an entry the time of the one before it.
func (d *damager) stamp() {
	if i := d.r.IntN(len(d.h)); i > 0 && d.h[i].F != history.Stall {
		d.h[i].Time = d.h[i-1].Time
	}
}

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
