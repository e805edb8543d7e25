package checker

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/checker/linear"
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/timeline"
)

// A Watch looks at a run while it goes on. It is fed every entry of the history in order, and
// reports the first anomaly of each kind that it can see, in the words of the verdict. It sees
// less than Judge, which also knows what came later. It finds grants of a whole lock while
// another was promised, holders that go on after their lease, and violations of a store's
// invariant. Where a linear.Monitor knows the model, it also finds operations that fit no
// order. Only Judge gives the verdict.
type Watch struct {
	o       timeline.Options
	told    map[string]bool // kinds
	monitor *linear.Monitor
	locks   *watchedLocks
	stores  watchedStores
	app     *appWatch // watches the jobs of a program; nil if the run is of a lock
}

// NewWatch watches a run that has declared o; inv is the invariant of its workload, or nil.
func NewWatch(o timeline.Options, inv Invariant) *Watch {
	if o.IsApp() {
		return &Watch{told: map[string]bool{}, app: &appWatch{o: o}}
	}
	w := &Watch{o: o, told: map[string]bool{}, locks: newWatchedLocks(o)}
	w.stores = watchedStores{inv: inv, replays: map[string]Replay{}, calls: map[int]*history.Op{}, waiting: map[int64]*timeline.Access{}, next: 1}
	if m, err := linear.NewMonitor(o.Model); err == nil && !o.Reentrant { // no monitor knows other models, or re-entries
		w.monitor = m
	}
	return w
}

// Feed takes the next entry and returns the anomalies of kinds that are new.
func (w *Watch) Feed(op *history.Op) []incident.Anomaly {
	if w.app != nil {
		return w.first(w.app.feed(op))
	}
	own := *op // the watch keeps it, so it takes a copy
	found := append(w.locks.feed(&own), w.stores.feed(&own)...)
	if v := w.seen(&own); v != nil {
		clients := map[int]int{} // by process
		for _, op := range v.Ops {
			clients[op.Process] = op.Client
		}
		found = append(found, incident.Anomaly{
			Kind: "nonlinearizable", Lock: v.Lock, Time: v.Time, Ops: v.Ops,
			Sentence: fmt.Sprintf("no order of the operations on %s up to %s satisfies the %s model: %s", v.Lock, timeline.At(v.Time), w.o.Model, rule.Explained(v.Explanation, clients)),
		})
	}
	return w.first(found)
}

// first returns the anomalies of kinds that are new.
func (w *Watch) first(found []incident.Anomaly) []incident.Anomaly {
	var first []incident.Anomaly
	for _, a := range found {
		if !w.told[a.Kind] {
			w.told[a.Kind] = true
			a.Property = PropertyOf(a.Kind)
			first = append(first, a)
		}
	}
	return first
}

func (w *Watch) seen(op *history.Op) *linear.Violation {
	if w.monitor == nil || w.told["nonlinearizable"] {
		return nil
	}
	if w.o.Blind && op.F == history.Release && op.Type == history.OK { // its lease may have ended before
		unsure := *op
		unsure.Type = history.Info
		op = &unsure
	}
	return w.monitor.Feed(op)
}

// watchedStores are the stores of a run, whose operations are replayed in the order in which
// they were applied.
type watchedStores struct {
	inv     Invariant
	replays map[string]Replay
	calls   map[int]*history.Op        // by process
	waiting map[int64]*timeline.Access // by apply number
	next    int64
	over    []int64 // leases under which nothing more comes
}

// mostWaiting bounds the operations that wait for one of unknown outcome, which may never
// come.
const mostWaiting = 4096

func (s *watchedStores) feed(op *history.Op) []incident.Anomaly {
	switch {
	case s.inv == nil || len(s.waiting) > mostWaiting || op.Process == history.Nemesis:
		return nil
	case op.F == history.Release && op.Type != history.Invoke:
		s.over = append(s.over, op.Lease)
		s.forget()
		return nil
	case op.F != history.Read && op.F != history.Write && op.F != history.CAS:
		return nil
	case op.Type == history.Invoke:
		s.calls[op.Process] = op
		return nil
	}
	call := s.calls[op.Process]
	delete(s.calls, op.Process)
	if a := (&timeline.Access{Inv: call, Ret: op}); call != nil && a.Applied() > 0 {
		s.waiting[a.Applied()] = a
	}
	var found []incident.Anomaly
	for a := s.waiting[s.next]; a != nil; a = s.waiting[s.next] {
		delete(s.waiting, s.next)
		s.next++
		found = append(found, s.apply(a)...)
	}
	s.forget()
	return found
}

func (s *watchedStores) apply(a *timeline.Access) []incident.Anomaly {
	r := s.replays[a.Inv.Store]
	if r == nil {
		r = s.inv.Begin()
		s.replays[a.Inv.Store] = r
	}
	op := a.Op()
	return r.Apply(&op)
}

// forget drops what replays keep of leases that are over, once no operation waits.
func (s *watchedStores) forget() {
	if len(s.waiting) > 0 {
		return
	}
	for _, r := range s.replays {
		for _, lease := range s.over {
			if r, ok := r.(Forgetful); ok {
				r.Forget(lease)
			}
		}
	}
	s.over = s.over[:0]
}
