package invariant

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Rate judges the workload "rate": the sections that were at work at one moment may have no more permits
// than the semaphore has. A section counts only once it has ended, so that one whose client died counts
// for nothing. The loss is in sections that came on top.
type Rate struct{}

var _ checker.Invariant = Rate{}

type rates struct {
	locks map[string]*rate
	over  int
	of    int
}

// A rate is one semaphore.
type rate struct {
	capacity int
	open     []*atWork // begun, neither ended nor given up
	kept     []*atWork // those and the ended ones beside which some are open that had begun before
}

// An atWork is a section that has begun.
type atWork struct {
	begin, end *history.Op
	permits    int
	beside     []*atWork // those that had begun before, and were still at work
	told       bool
}

// Begin implements checker.Invariant.
func (Rate) Begin() checker.Replay { return &rates{locks: map[string]*rate{}} }

// Apply implements checker.Replay.
func (r *rates) Apply(op *history.Op) []checker.Anomaly {
	l := r.locks[op.Lock]
	if l == nil {
		l = &rate{}
		r.locks[op.Lock] = l
	}
	kind, _, _ := strings.Cut(workKey(op), "/")
	n, err := checker.Number(op.Value)
	switch {
	case op.F == history.Read:
		return nil
	case err != nil:
		return []checker.Anomaly{torn(op)}
	case kind == "capacity":
		l.capacity = n
	case kind == "begun":
		w := &atWork{begin: op, permits: n, beside: slices.Clone(l.open)}
		l.open, l.kept = append(l.open, w), append(l.kept, w)
	case kind == "done":
		return r.done(l, op)
	}
	return nil
}

// done looks at the beginnings that the end of a section says something of: its own, and those beside it.
// A section that is still open may never end, and its permits do not count yet.
func (r *rates) done(l *rate, op *history.Op) (found []checker.Anomaly) {
	i := slices.IndexFunc(l.open, func(w *atWork) bool { return w.begin.Lease == op.Lease })
	if i < 0 {
		return nil
	}
	ended := l.open[i]
	ended.end = op
	l.open = slices.Delete(l.open, i, i+1)
	r.of++
	for _, w := range l.kept {
		if w.end == nil || w.told || w != ended && !slices.Contains(w.beside, ended) {
			continue
		}
		if a, bad := w.tooMany(l.capacity, op); bad {
			w.told = true
			r.over++
			found = append(found, a)
		}
	}
	l.prune()
	return found
}

// tooMany adds up the permits that were in use when the section began.
func (w *atWork) tooMany(capacity int, op *history.Op) (checker.Anomaly, bool) {
	sum, entries := w.permits, []*history.Op{w.begin, w.end}
	for _, o := range w.beside {
		if o.end != nil {
			sum += o.permits
			entries = append(entries, o.begin, o.end)
		}
	}
	if sum <= capacity {
		return checker.Anomaly{}, false
	}
	return checker.Anomaly{
		Kind: "too-many-at-work", Lock: op.Lock, Key: w.begin.Key, Time: op.Time, Ops: checker.Witness(entries...),
		Sentence: fmt.Sprintf("%s began at %s (apply %d) when others were at work, with %d permits of %d in all; it was done at %s (apply %d)",
			checker.By(w.begin), checker.At(w.begin.Time), w.begin.Apply, sum, capacity, checker.At(w.end.Time), w.end.Apply),
	}, true
}

// prune drops the sections of which nothing more is to be learnt.
func (l *rate) prune() {
	l.kept = slices.DeleteFunc(l.kept, func(w *atWork) bool {
		return w.end != nil && (w.told || !slices.ContainsFunc(w.beside, func(o *atWork) bool { return slices.Contains(l.open, o) }))
	})
}

// Loss implements checker.Replay.
func (r *rates) Loss() checker.Loss {
	return checker.Loss{Lost: r.over, Of: r.of, Unit: "sections"}
}

// Forget implements checker.Forgetful: a section of which nothing comes any more never ends.
func (r *rates) Forget(lease int64) {
	for _, l := range r.locks {
		of := func(w *atWork) bool { return w.begin.Lease == lease && w.end == nil }
		if slices.ContainsFunc(l.open, of) {
			l.open, l.kept = slices.DeleteFunc(l.open, of), slices.DeleteFunc(l.kept, of)
			l.prune()
		}
	}
}
