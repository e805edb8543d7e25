package checker

import (
	"cmp"
	"container/heap"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// objects holds the stores of a run and their keys. The operations that were applied go
// through them in the order in which they were applied.
type objects struct {
	run    *timeline.Run
	book   *incident.Book
	inv    Invariant
	stores map[string]*storeView
	keys   map[timeline.Place]*keyView

	under   []*timeline.Flight // operations on stores that have not returned, by call
	waiting applyQueue
	applied int64   // the apply number of the last operation that went through
	gap     bool    // a number was missing: what follows may be built on a write of unknown outcome
	done    []int64 // leases that are over, but may have operations in waiting

	judged  int
	unknown []string
	wrong   []keyAnomaly
	count   int // how many anomalies of keys there are
}

// A storeView holds what happened to one store.
type storeView struct {
	result StoreResult
	replay Replay
	found  *incident.Findings
	lost   int // the loss that was charged to incidents so far
	asked  int // how often the replay was asked for its loss

	sections *sectionsView // nil: they have no specification
}

func newObjects(b *incident.Book, inv Invariant) *objects {
	return &objects{run: b.Run, book: b, inv: inv, stores: map[string]*storeView{}, keys: map[timeline.Place]*keyView{}}
}

// An applied operation waits until every operation that can have been applied before it is
// known.
type applied struct {
	a          *timeline.Access
	call, done int // lines
}

type applyQueue []applied

func (q applyQueue) Len() int { return len(q) }
func (q applyQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].a.Applied(), q[j].a.Applied()), cmp.Compare(q[i].call, q[j].call)) < 0
}
func (q applyQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push and Pop are for package heap.
func (q *applyQueue) Push(x any) { *q = append(*q, x.(applied)) }

// Pop removes the last element.
func (q *applyQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// Called takes the call of an operation that will return.
func (o *objects) Called(f *timeline.Flight) { o.under = append(o.under, f) }

// Add takes the end of an operation; call and done are its lines.
func (o *objects) Add(a *timeline.Access, call, done int) {
	o.under = slices.DeleteFunc(o.under, func(f *timeline.Flight) bool { return f.Op == a.Inv })
	o.counted(a)
	if s := o.store(a.Inv.Store).sections; s != nil {
		s.add(a)
	}
	o.key(a, call)
	if a.Applied() > 0 {
		heap.Push(&o.waiting, applied{a, call, done})
	}
	if !o.run.Untimely {
		o.pass(false)
	}
}

// pass applies the waiting operations whose place in the order is certain: whatever is called
// after an operation returned is applied after it. If all is true, it applies every waiting
// operation.
func (o *objects) pass(all bool) {
	for len(o.waiting) > 0 {
		if next := o.waiting[0]; !all && len(o.under) > 0 && next.done > o.under[0].Line {
			return
		}
		o.apply(heap.Pop(&o.waiting).(applied))
	}
	for _, lease := range o.done {
		for _, s := range o.stores {
			if r, ok := s.replay.(Forgetful); ok {
				r.Forget(lease)
			}
		}
	}
	o.done = o.done[:0]
}

// Over notes that nothing more is done under a lease.
func (o *objects) Over(lease int64) {
	for _, s := range o.stores {
		if s.sections != nil {
			s.sections.over(lease)
		}
	}
	if o.run.Untimely {
		return
	}
	if o.done = append(o.done, lease); len(o.waiting) == 0 {
		o.pass(false)
	}
}

func (o *objects) store(name string) *storeView {
	s := o.stores[name]
	if s == nil {
		s = &storeView{result: StoreResult{Store: name, Correct: true}, found: incident.NewFindings(o.book)}
		if o.inv != nil {
			s.replay, s.sections = o.inv.Begin(), newSections(o.inv)
		}
		o.stores[name] = s
	}
	return s
}

func (o *objects) counted(a *timeline.Access) {
	r := &o.store(a.Inv.Store).result
	switch {
	case a.RefusedByStore():
		r.Refused++
	case a.Applied() == 0 || cmp.Or(a.Inv.Lease, a.Ret.Lease) == 0 && !(o.run.Options.Meets() && a.Inv.Client > 0):
	case a.Inv.F == history.Read:
		r.Reads++
	default:
		r.Writes++
	}
}

// apply takes the next operation in the order of the store.
func (o *objects) apply(next applied) {
	a, n := next.a, next.a.Applied()
	o.gap = o.gap || o.applied > 0 && n > o.applied+1
	o.applied = n
	o.keyApplied(a, next.call)
	s := o.store(a.Inv.Store)
	if s.replay == nil || o.gap && o.run.Uncertain {
		return
	}
	op := a.Op()
	var in *incident.Chain
	for _, x := range s.replay.Apply(&op) {
		s.result.Correct = false
		from := x.Time
		if len(x.Ops) > 0 {
			from = x.Ops[0].Time
		}
		x.Store = a.Inv.Store
		in = s.found.Add(x.Kind, from, func() incident.Anomaly { return x })
	}
	if in != nil {
		s.charge(in)
	}
}

// asksForLoss is how often, at most, a replay is asked during the run what was lost so far,
// because some replays must count it anew each time.
const asksForLoss = 5000

// charge attributes to an incident what was lost since the last call.
func (s *storeView) charge(in *incident.Chain) {
	if s.asked++; s.asked > asksForLoss {
		return
	}
	loss := s.replay.Loss()
	in.Root().Cost(s.result.Store, loss.Unit, loss.Lost-s.lost)
	s.lost = loss.Lost
}

// Last ends the history.
func (o *objects) Last() {
	o.under = nil
	o.pass(true)
	o.lastKeys()
}

// results returns the stores that somebody worked on, as the workload's invariant judges them.
func (o *objects) results(f *incident.Findings) []StoreResult {
	var out []StoreResult
	for _, name := range []string{history.Plain, history.Fenced} {
		s := o.stores[name]
		if s == nil || s.result.Reads+s.result.Writes+s.result.Refused == 0 && len(s.found.Counts) == 0 {
			continue
		}
		r := s.result
		if name == history.Fenced {
			r.LockedOut = f.Counts["fence-lockout"]
		}
		if s.replay != nil {
			loss := s.replay.Loss()
			r.Lost, r.Of, r.LossUnit, r.Note = loss.Lost, loss.Of, loss.Unit, loss.Note
			if loss.Of > 0 {
				r.Loss = float64(loss.Lost) / float64(loss.Of)
			}
			f.Join(s.found)
		}
		if s.sections != nil {
			r.Sections = s.sections.verdict(o.run.Options)
		}
		out = append(out, r)
	}
	return out
}
