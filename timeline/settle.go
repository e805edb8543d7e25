package timeline

import (
	"cmp"
	"math"
	"slices"
)

// Fresh returns the leases that were in no piece yet.
func (l *Lock) Fresh() []*Lease { return l.Leases[l.Judged:] }

// grow counts an entry of a lock, towards its next piece.
func (v *Fold) grow(l *Lock) {
	if l.size++; l.size == l.limit {
		v.due = append(v.due, l)
	}
}

// settleDue settles the locks that are due and quiet.
func (v *Fold) settleDue() {
	v.due = slices.DeleteFunc(v.due, func(l *Lock) bool {
		if !v.quiet(l) {
			return false
		}
		v.settle(l, false)
		l.size, l.limit = 0, max(v.every, 2*len(l.Kept)) // each piece goes through all kept waits again
		return true
	})
}

// quiet reports whether the history of a lock can be cut here: nobody holds it, and nothing is
// under way but waits, whose ends change nothing before.
func (v *Fold) quiet(l *Lock) bool {
	if l.open > 0 || l.busy > 0 || l.blockers > 0 {
		return false
	}
	// The wait of a client that died ended with its death: finishWait will record that, and
	// the wait belongs to the piece before.
	return !slices.ContainsFunc(l.Pending, func(w *Call) bool {
		at, crashed := v.crashed[w.Process]
		return crashed && at <= v.now
	})
}

// settle hands a piece to the followers and drops what no later piece needs. Later entries cannot
// change what is in it: no lease is open, and a call that is under way can only be granted
// later. So a history of any length is read in the memory that its busiest stretch takes.
// Cutting pieces changes no verdict: stream_test.go of the checker judges histories whole and
// in parts, and compares.
func (v *Fold) settle(l *Lock, last bool) {
	slices.SortStableFunc(l.Accesses, func(a, b *Access) int { return cmp.Compare(a.Inv.Time, b.Inv.Time) })
	slices.SortStableFunc(l.Kept, func(a, b *Call) int { return cmp.Compare(a.Called, b.Called) })
	slices.SortStableFunc(l.Observations, func(a, b *Observation) int { return cmp.Compare(a.Ret.Time, b.Ret.Time) })
	for _, g := range l.Fresh() {
		v.finishLease(g)
	}
	l.linkNext(v.Run)
	for _, g := range l.Fresh() {
		v.notice(g)
		if n := len(l.Steps); n == 0 || g.Token > l.Steps[n-1].Token {
			l.Steps = append(l.Steps, g)
		}
	}
	before := int64(math.MaxInt64) // all calls before this moment are known
	if !last {
		before = v.now + 1
		if len(l.Pending) > 0 {
			before = l.Pending[0].Called
		}
	}
	waits := newWaits(l.Kept)
	v.to.Locks.Settled(&Piece{
		Lock: l, Calls: waits, Begun: l.begun, Before: before, Last: last,
		Tenures: l.Sights.settled(before, last), Looks: v.NewLooks(l, before), Listings: l.NewListings(before),
	})
	l.begun = nil
	for _, w := range waits {
		w.judged = true
	}
	for _, g := range l.Fresh() {
		l.gone = max(l.gone, g.Gone)
	}
	v.prune(l, before)
}

// newWaits returns the calls that were in no piece yet.
func newWaits(list []*Call) []*Call {
	return slices.DeleteFunc(slices.Clone(list), func(w *Call) bool { return w.judged })
}

// prune drops what no later piece needs.
func (v *Fold) prune(l *Lock, before int64) {
	steps := l.Steps
	first := max(0, sortedBefore(steps, before)-1)
	l.Steps = slices.Clone(steps[first:])
	for _, g := range l.Fresh() {
		g.Next = nil // it would keep all later leases in memory
	}
	l.Leases = l.context(before)
	l.Judged = len(l.Leases)
	// A wait that outlasted the latest holder may be evidence, in the next piece, that nobody
	// can get the lock.
	l.Kept = slices.DeleteFunc(l.Kept, func(w *Call) bool { return w.End <= l.gone || v.Options.FreeWithin <= 0 })
	l.Kept = slices.Clone(l.Kept)
	l.Accesses = nil
	l.Sights.prune(v.Run, l, before)
}

// context returns the leases that the next piece still needs: those granted since the oldest
// call under way, those before that back to one that was released for certain, and the one
// with the greatest token. Whatever earlier leases could contradict, these contradict too.
func (l *Lock) context(before int64) []*Lease {
	from := sortedBefore(l.Leases, before)
	for from > 0 {
		from--
		if l.Leases[from].ReleasedForCertain() {
			break
		}
	}
	kept := slices.Clone(l.Leases[from:])
	if len(l.Steps) > 0 && !slices.Contains(kept, l.Steps[0]) {
		kept = slices.Insert(kept, 0, l.Steps[0])
	}
	return kept
}

// sortedBefore counts the leases, in the order of their grants, that were
// granted before a moment.
func sortedBefore(list []*Lease, before int64) int {
	n, _ := slices.BinarySearchFunc(list, before, func(g *Lease, at int64) int { return cmp.Compare(g.Granted(), at) })
	return n
}
