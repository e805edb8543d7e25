package invariant

import (
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/history"
)

// atWorks counts the sections that exceeded what semaphores allow.
type atWorks struct {
	capacity map[string]int // by semaphore
	over, of int            // sections that exceeded it; sections that were done
}

// A throng holds sections that may be at work at the same time.
type throng struct {
	open []*atWork // begun, neither ended nor given up
	kept []*atWork // the open ones, and ended ones beside which an earlier one is still open
}

// An atWork is a section that has begun.
type atWork struct {
	begin, end *history.Op // the end is an operation under the semaphore's permit
	permits    int
	beside     []*atWork // sections that had begun before it, and were still at work
	told       bool
}

func (t *throng) begin(op *history.Op, permits int) {
	w := &atWork{begin: op, permits: permits, beside: slices.Clone(t.open)}
	t.open, t.kept = append(t.open, w), append(t.kept, w)
}

// done judges the sections about which the end of a section says something: that section
// itself, and those that had begun beside it. A section that is still open may never end, so
// its permits do not count yet.
func (r *atWorks) done(t *throng, op *history.Op, of func(*atWork) bool) (found []checker.Anomaly) {
	i := slices.IndexFunc(t.open, of)
	if i < 0 {
		return nil
	}
	ended := t.open[i]
	ended.end = op
	t.open = slices.Delete(t.open, i, i+1)
	r.of++
	for _, w := range t.kept {
		if w.end == nil || w.told || w != ended && !slices.Contains(w.beside, ended) {
			continue
		}
		if a, bad := w.tooMany(r.capacity[w.end.Lock], op); bad {
			w.told = true
			r.over++
			found = append(found, a)
		}
	}
	t.prune()
	return found
}

// tooMany adds up the permits of the section's semaphore that were in use when the section
// began. It reports true if they were more than the capacity.
func (w *atWork) tooMany(capacity int, op *history.Op) (checker.Anomaly, bool) {
	sum, entries := w.permits, []*history.Op{w.begin, w.end}
	for _, o := range w.beside {
		if o.end != nil && o.end.Lock == w.end.Lock {
			sum += o.permits
			entries = append(entries, o.begin, o.end)
		}
	}
	if sum <= capacity {
		return checker.Anomaly{}, false
	}
	return checker.Anomaly{
		Kind: "too-many-at-work", Lock: w.end.Lock, Key: w.begin.Key, Time: op.Time, Ops: checker.Witness(entries...),
		Sentence: fmt.Sprintf("%s began work at %s (apply %d) while others were at work: together they had %d permits, but there are only %d. This section ended at %s (apply %d)",
			checker.By(w.begin), checker.At(w.begin.Time), w.begin.Apply, sum, capacity, checker.At(w.end.Time), w.end.Apply),
	}, true
}

// drop forgets sections that will never end.
func (t *throng) drop(of func(*atWork) bool) {
	if slices.ContainsFunc(t.open, of) {
		t.open = slices.DeleteFunc(t.open, of)
		t.kept = slices.DeleteFunc(t.kept, func(w *atWork) bool { return w.end == nil && of(w) })
		t.prune()
	}
}

// prune drops the sections about which nothing more can be learned.
func (t *throng) prune() {
	t.kept = slices.DeleteFunc(t.kept, func(w *atWork) bool {
		return w.end != nil && (w.told || !slices.ContainsFunc(w.beside, func(o *atWork) bool { return slices.Contains(t.open, o) }))
	})
}
