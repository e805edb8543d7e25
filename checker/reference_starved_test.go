package checker_test

import (
	"slices"
	"time"

	"locktorture/history"
)

// A refTurn is what a client has missed since it was served last.
type refTurn struct {
	chances float64
	calm    int64 // ns that it waited, in times that count
}

// starved counts the turns in which a client missed too much.
func (r *reference) starved() (n int) {
	for _, lock := range r.locks() {
		for client := range r.clients() {
			n += r.starvedOf(lock, client)
		}
	}
	return n
}

func (r *reference) clients() map[int]bool {
	all := map[int]bool{}
	for _, e := range r.h {
		if e.Process >= 0 && e.Client > 0 {
			all[e.Client] = true
		}
	}
	return all
}

func (r *reference) starvedOf(lock string, client int) (n int) {
	var turn refTurn
	over := func() {
		ordered := r.o.Kind == "" || r.o.Kind == "election" || r.o.Fair
		if ordered && r.o.FreeWithin > 0 && turn.chances >= 50 && turn.calm >= r.patient() {
			n++
		}
		turn = refTurn{}
	}
	calls := slices.DeleteFunc(r.asking(lock), func(c *refOp) bool { return c.inv.Client != client || c.within != nil })
	for i, c := range calls {
		waits := c.inv.F == history.Acquire
		hangs := i+1 < len(calls) && calls[i+1].line < c.retLine // the client went on as another process
		switch {
		case r.died(c) || hangs || waits && r.struck(c) || r.answeredLate(calls[:i], c):
			over()
		case waits:
			r.waits(&turn, c)
		}
		if c.lease != nil || r.unknown(c) {
			over()
		}
	}
	over()
	return n
}

// answeredLate reports whether the client may have been served while it waited, by an earlier
// call from which it had gone on.
func (r *reference) answeredLate(earlier []*refOp, c *refOp) bool {
	return slices.ContainsFunc(earlier, func(x *refOp) bool {
		return x.retLine > c.line && x.retLine < c.retLine && (x.lease != nil || r.unknown(x))
	})
}

// patient is how long a client must have waited to count.
func (r *reference) patient() int64 {
	return max(int64(5*time.Second), int64(r.o.FreeWithin)+r.slack(), 50*int64(r.o.Retry))
}

// struck reports whether a fault struck a client, and no other, while it waited.
func (r *reference) struck(c *refOp) bool {
	for _, f := range r.faults {
		if f.client == c.inv.Client && f.kind != "client-clock" && f.sent <= r.endOf(c) && f.to >= c.inv.Time {
			return true
		}
	}
	return false
}

// waits adds what a wait has missed: of the grants from its call to its end, less one for the
// first, which it may not have had.
func (r *reference) waits(turn *refTurn, c *refOp) {
	chances, calm := 0.0, int64(0)
	var last *refLease
	for _, g := range r.leases {
		if g.lock != c.inv.Lock || g.inner != nil || g.line > c.retLine {
			continue
		}
		if g.line > c.line && last != nil && !r.upset(0, last.ret, g.ret) {
			chances += r.chance(last, g)
			calm += g.ret - max(last.ret, c.inv.Time)
		}
		last = g
	}
	turn.chances += max(0, chances-1-r.share())
	turn.calm += calm
}

func (r *reference) share() float64 { return 1 / float64(max(2, len(r.clients()))) }

// chance is what a grant after another was to one who waited.
func (r *reference) chance(last, g *refLease) float64 {
	sum := 0.0
	if last.client != g.client {
		sum = r.share()
	}
	retry := max(int64(r.o.Retry), 10*ms)
	if r.o.Retry == 0 {
		retry = 100 * ms
	}
	if free, ok := r.freeSince(g); ok {
		sum += float64(min(max(g.call-free, 0), retry)) / float64(retry)
	}
	return sum
}

// freeSince is when the last holder before a grant had released the lock; not ok if one holds
// it still, or none did so for certain.
func (r *reference) freeSince(g *refLease) (at int64, ok bool) {
	latest := -1
	for _, x := range r.leases {
		if x.lock != g.lock || x.line >= g.line {
			continue
		}
		line, released := r.overAt(x)
		if line > g.line {
			return 0, false
		}
		if line > latest {
			latest, ok, at = line, released, r.h[line].Time
		}
	}
	return at, ok
}

// overAt is the entry with which a holder was gone, and whether that was a release that
// succeeded.
func (r *reference) overAt(g *refLease) (line int, released bool) {
	line = len(r.h)
	if g.release != nil {
		line = g.release.retLine
		released = g.release.ret != nil && g.release.ret.Type == history.OK
	}
	for i := range r.h[:line] {
		if i > g.line && g.crash == &r.h[i] {
			return i, false
		}
	}
	return line, released
}
