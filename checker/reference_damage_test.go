package checker_test

import (
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
func damaged(r *rand.Rand) (history.History, checker.Options) { return damage(r, someOptions(r)) }

// someOptions returns the options of a random lock.
func someOptions(r *rand.Rand) checker.Options {
	coin := func() bool { return r.IntN(2) == 0 }
	o := checker.Options{Model: "lease", Bounded: coin(), Watched: coin(), Tokens: coin(), Expires: coin(), Reentrant: coin(), Fair: r.IntN(3) > 0, Retry: 50 * time.Millisecond}
	o.TTL = []time.Duration{200, 600, 2000}[r.IntN(3)] * time.Millisecond
	o.FreeWithin = o.TTL + o.Retry
	return o
}

func damage(r *rand.Rand, o checker.Options) (history.History, checker.Options) {
	d := &damager{r: r, o: o, h: undamaged(r, o)}
	d.h = d.h[:len(d.h)-1]
	edits := []func(){
		d.token, d.validity, d.validity, d.expiry, d.expiry, d.drop, d.shift, d.shift, d.shift, d.unknown, d.crash, d.fault, d.missed, d.stall,
		d.lost, d.over, d.gap, d.gap, d.reenter, d.reenter, d.stamp, d.refuse, d.reorder, d.renew, d.probe, d.probe, d.wait, d.wait, d.steal, d.steal,
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

// undamaged is mostly the history of a few clients who do this and that, else one of a lock
// for which many wait.
func undamaged(r *rand.Rand, o checker.Options) history.History {
	switch x := r.IntN(100); {
	case x < 8:
		return thronged(r, o)
	case x < 14:
		s := &service{r: r, o: o, dies: r.IntN(2) == 0, rude: r.IntN(2) == 0, trip: []int64{60, 5, 20}[r.IntN(3)]}
		return ended(s.play(5_000), history.Complete)
	}
	return wild(r, o)
}

func (d *damager) try(edit func()) {
	before := slices.Clone(d.h)
	edit()
	for i := range d.h { // the effect of a fault is not seen before it begins
		if op := &d.h[i]; op.F == history.Fault {
			op.UntilMin = min(op.UntilMin, op.Time)
		}
	}
	if history.Validate(d.h) != nil || d.diesLate() {
		d.h = before
	}
}

// diesLate reports whether a client's process dies when the client has begun its next one. The
// harness starts that when the former is gone, and the checker ends all that a client has with
// its crash.
func (d *damager) diesLate() bool {
	latest := map[int]int{}
	for i := range d.h {
		op := &d.h[i]
		if op.F == history.Crash && latest[op.Client] > op.Process {
			return true
		}
		latest[op.Client] = max(latest[op.Client], op.Process)
	}
	return false
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

// succeed gives what a process does from an entry on to a new one.
func (d *damager) succeed(process, from int) {
	d.n++
	for i := from; i < len(d.h); i++ {
		if d.h[i].Process == process {
			d.h[i].Process = 10000*d.n + process
		}
	}
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
