package linear

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A judge decides a trace.
type judge func(*trace) Verdict

// A model is a way to judge a history. It has a fast procedure, which may say unknown where
// its preconditions do not hold, and a specification.
type model struct {
	fast      judge
	search    judge // nil: none, the fast procedure is the definition
	porcupine judge
	draw      func(io.Writer, *trace) error
}

func modelOf[S comparable](sp spec[S], fast judge) model {
	return model{
		fast:      fast,
		search:    func(t *trace) Verdict { return bySearch(sp, t) },
		porcupine: func(t *trace) Verdict { return byPorcupine(sp, t) },
		draw:      func(w io.Writer, t *trace) error { return draw(sp, w, t) },
	}
}

// models is the table of what can be checked. Nothing writes to it.
var models = map[string]model{
	"mutex":            modelOf(mutexSpec, judgeMutex(false)),
	"reentrant":        modelOf(reentrantSpec, judgeMutex(true)),
	"lease":            modelOf(leaseSpec, judgeLease),
	"fenced":           modelOf(fencedSpec, judgeFenced(false)),
	"reentrant-fenced": modelOf(reentrantFencedSpec, judgeFenced(true)),
	"timed-lease":      modelOf(timedLeaseSpec, judgeTimed),
	"register":         modelOf(registerSpec, judgeRegister),
	"counter":          modelOf(sumSpec, judgeCounter),
	"faa":              modelOf(sumSpec, judgeFetchAdd),
	"inventory":        modelOf(inventorySpec, judgeInventory),
	"log":              modelOf(logSpec, judgeLog),
	"statemachine":     modelOf(registerSpec, judgeStateMachine),
	"fenced-store":     modelOf(fencedStoreSpec, judgeFencedStore),
	"replay":           {fast: judgeReplay},
	"rwlock":           modelOf(rwlockSpec, judgePermits(true)),
	"semaphore":        modelOf(semaphoreSpec, judgePermits(false)),
	"timed-rwlock":     modelOf(timedRWLockSpec, judgeTimedRWLock),
	"timed-semaphore":  modelOf(timedSemaphoreSpec, judgeTimedSemaphore),
	"latch":            modelOf(latchSpec, judgeLatch),
	"barrier":          modelOf(barrierSpec, judgeBarrier),
	"election":         modelOf(electionSpec, judgeElection),
}

// Models returns the names of the models, sorted.
func Models() []string {
	var names []string
	for name := range models {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Check decides whether ops, all on one object, are linearizable under the
// named model. It never blocks for longer than o.Timeout (by much) and never takes much more
// than o.Memory and a few words per operation. Beyond these bounds, for an ill-formed history,
// for operations that the model does not know, for sums that leave the range of int64, and for
// an unknown model or engine it answers Unknown with the reason.
func Check(ops []Operation, name string, o Options) Verdict {
	start := time.Now()
	v := check(ops, name, o.withDefaults())
	v.Model, v.Operations, v.Elapsed = name, len(ops), time.Since(start)
	return v
}

func check(ops []Operation, name string, o Options) Verdict {
	m, ok := models[name]
	if !ok {
		return unknown("", fmt.Sprintf("there is no model %q", name))
	}
	if o.Engine != "" && m.search == nil {
		return unknown("", fmt.Sprintf("model %q does not define linearizability, so there is nothing to search", name))
	}
	if why := foreign(name, ops); why != "" {
		return unknown("", why)
	}
	if wraps(ops) {
		return unknown("", "the sum of the steps exceeds the largest possible sum, ±(2⁶³-1)")
	}
	t, err := prepare(ops, o)
	if err != nil {
		return unknown("", "ill-formed history: "+err.Error())
	}
	switch o.Engine {
	case "":
		return m.decide(t)
	case "search":
		return m.search(t)
	case "porcupine":
		return m.porcupine(t)
	}
	return unknown("", fmt.Sprintf("there is no engine %q", o.Engine))
}

// decide asks the fast procedure, and searches where that does not apply.
func (m model) decide(t *trace) Verdict {
	if m.search == nil {
		return m.fast(t)
	}
	v := m.fast(t)
	if t.tied && v.Outcome == Valid {
		v = m.apart(t)
	}
	if v.Outcome == Valid || v.Outcome == Invalid {
		return v
	}
	searched := m.search(t)
	searched.Reason = v.Algorithm + ": " + v.Reason + join("; ", searched.Reason)
	return searched
}

// apart judges again on a finer clock, on which the operations of a process do not touch. It
// is for histories that were not refuted on the clock on which they do.
func (m model) apart(t *trace) Verdict {
	fine := t.separated()
	if fine == nil {
		return unknown("", "two operations of a process have the same time stamp, and there is no finer clock")
	}
	v := m.fast(fine)
	if v.Outcome == Invalid {
		return unknown(v.Algorithm, "the outcome depends on the order of operations with the same time stamp")
	}
	return v
}

func join(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
