package checker

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// fresh are the leases that are not judged yet.
func (l *lockView) fresh() []*lease { return l.leases[l.judged:] }

// grow counts an entry that a lock has to be judged by.
func (v *view) grow(l *lockView) {
	if l.size++; l.size == l.limit {
		v.due = append(v.due, l)
	}
}

// settleDue judges the locks that are due and quiet.
func (v *view) settleDue() {
	v.due = slices.DeleteFunc(v.due, func(l *lockView) bool {
		if !v.quiet(l) {
			return false
		}
		v.settle(l, false)
		l.size, l.limit = 0, max(v.every, 2*len(l.waits)) // waits that are kept are gone through again each time
		return true
	})
}

// quiet reports whether the history of a lock can be cut here: nobody holds it and
// nothing is under way but waits, the ends of which matter to nothing before.
func (v *view) quiet(l *lockView) bool {
	if l.open > 0 || l.busy > 0 || l.blockers > 0 {
		return false
	}
	// The wait of a client that died ended with its death: finishWait will say so, and it
	// belongs to the part before.
	return !slices.ContainsFunc(l.pending, func(w *wait) bool {
		at, crashed := v.crashed[w.process]
		return crashed && at <= v.now
	})
}

// settle judges a lock by what happened since it was judged last, and drops
// what is no longer needed. Nothing of what is judged can be touched by what
// comes later: no lease is open, and a wait that is under way is granted later.
// That is why a history of any length is judged in the memory that its liveliest
// stretch takes, and why the verdict is that of the whole: stream_test.go judges histories
// whole and in parts and compares.
func (v *view) settle(l *lockView, last bool) {
	slices.SortStableFunc(l.accesses, func(a, b *access) int { return cmp.Compare(a.inv.Time, b.inv.Time) })
	slices.SortStableFunc(l.waits, func(a, b *wait) int { return cmp.Compare(a.call, b.call) })
	slices.SortStableFunc(l.observations, func(a, b *observation) int { return cmp.Compare(a.ret.Time, b.ret.Time) })
	for _, g := range l.fresh() {
		v.finishLease(g)
	}
	l.linkNext(v.survey)
	for _, g := range l.fresh() {
		v.notice(g)
		if n := len(l.steps); n == 0 || g.token > l.steps[n-1].token {
			l.steps = append(l.steps, g)
		}
	}
	before := int64(math.MaxInt64) // what was called before is known
	if !last {
		before = v.now + 1
		if len(l.pending) > 0 {
			before = l.pending[0].call
		}
	}
	waits := newWaits(l.waits)
	v.to.locks.settled(&piece{
		lockView: l, calls: waits, begun: l.begun, before: before, last: last,
		tenures: l.sights.settled(before, last), looks: v.newLooks(l, before), listings: l.newListings(before),
	})
	l.begun = nil
	for _, w := range waits {
		w.judged = true
	}
	for _, g := range l.fresh() {
		l.gone = max(l.gone, g.gone)
	}
	v.prune(l, before)
}

func newWaits(list []*wait) []*wait {
	return slices.DeleteFunc(slices.Clone(list), func(w *wait) bool { return w.judged })
}

// prune drops what no later part needs.
func (v *view) prune(l *lockView, before int64) {
	steps := l.steps
	first := max(0, sortedBefore(steps, before)-1)
	l.steps = slices.Clone(steps[first:])
	for _, g := range l.fresh() {
		g.next = nil // it would keep all that follow
	}
	l.leases = l.context(before)
	l.judged = len(l.leases)
	// A wait that outlasted the latest holder may bear witness, in the next part, to a lock
	// that is free for nobody.
	l.waits = slices.DeleteFunc(l.waits, func(w *wait) bool { return w.end <= l.gone || v.o.FreeWithin <= 0 })
	l.waits = slices.Clone(l.waits)
	l.accesses = nil
	l.sights.prune(v.survey, l, before)
}

// context returns the leases that the next part is judged with: those granted
// since the oldest wait that is under way was called, those before back to one that was
// released for certain, and the one with the greatest token. So whatever the
// leases before them could contradict, they contradict too.
func (l *lockView) context(before int64) []*lease {
	from := sortedBefore(l.leases, before)
	for from > 0 {
		from--
		if l.leases[from].releasedForCertain() {
			break
		}
	}
	kept := slices.Clone(l.leases[from:])
	if len(l.steps) > 0 && !slices.Contains(kept, l.steps[0]) {
		kept = slices.Insert(kept, 0, l.steps[0])
	}
	return kept
}

// sortedBefore counts the leases, in the order of their grants, that were
// granted before a moment.
func sortedBefore(list []*lease, before int64) int {
	n, _ := slices.BinarySearchFunc(list, before, func(g *lease, at int64) int { return cmp.Compare(g.granted(), at) })
	return n
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sorted returns the values of a map in order.
func sorted[K comparable, V any](m map[K]V, order func(a, b V) int) []V {
	return slices.SortedFunc(maps.Values(m), order)
}
