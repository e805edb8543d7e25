package linear

import (
	"fmt"
	"slices"
	"time"
)

// A judge decides a trace.
type judge func(*trace) Verdict

// A model is a way to judge a history: its fast procedure, which may say
// unknown where its preconditions do not hold, and its specification.
type model struct {
	fast      judge
	timed     bool  // stamps are times: they cannot be replaced by ranks
	search    judge // nil: none, the fast procedure is the definition
	porcupine judge
}

func modelOf[S comparable](sp spec[S], fast judge) model {
	return model{
		fast:      fast,
		search:    func(t *trace) Verdict { return bySearch(sp, t) },
		porcupine: func(t *trace) Verdict { return byPorcupine(sp, t) },
	}
}

// timed marks a model in which a stamp is a time, not only a place in an order.
func timed(m model) model { m.timed = true; return m }

// models is the table of what can be checked.
func models() map[string]model {
	return map[string]model{
		"mutex":            modelOf(mutexSpec, judgeMutex(false)),
		"reentrant":        modelOf(reentrantSpec, judgeMutex(true)),
		"lease":            modelOf(leaseSpec, judgeLease),
		"fenced":           modelOf(fencedSpec, judgeFenced(false)),
		"reentrant-fenced": modelOf(reentrantFencedSpec, judgeFenced(true)),
		"timed-lease":      timed(modelOf(timedLeaseSpec, judgeTimed)),
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
	}
}

// Models returns the names of the models, sorted.
func Models() []string {
	var names []string
	for name := range models() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Check decides whether ops, all on one object, are linearizable under the
// named model. It never blocks for longer than o.Timeout (by much) and never
// takes much more than o.Memory and a few words an operation: beyond them,
// for an ill-formed history and for an unknown model or engine it answers
// Unknown with the reason.
func Check(ops []Operation, name string, o Options) Verdict {
	start := time.Now()
	v := check(ops, name, o.withDefaults())
	v.Model, v.Operations, v.Elapsed = name, len(ops), time.Since(start)
	return v
}

func check(ops []Operation, name string, o Options) Verdict {
	m, ok := models()[name]
	if !ok {
		return unknown("", fmt.Sprintf("there is no model %q", name))
	}
	if o.Engine != "" && m.search == nil {
		return unknown("", fmt.Sprintf("model %q is no linearizability: there is nothing to search", name))
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
	quick := t
	if t.tied && !m.timed {
		quick = t.separated()
	}
	v := m.fast(quick)
	switch {
	case v.Outcome == Invalid && t.tied, v.Outcome == Valid && t.tied && m.timed:
		v.Reason = "a process has equal stamps"
	case v.Outcome != Unknown:
		return v
	}
	searched := m.search(t)
	searched.Reason = v.Algorithm + ": " + v.Reason + join("; ", searched.Reason)
	return searched
}

func join(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
