package checker

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/checker/linear"
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/timeline"
)

// A keyView is one key, which is judged as a register. This check is about the store, not the
// lock: a lost update on a sound store is linearizable. Where the store reported the order in
// which it applied the operations, that order is the only candidate and is replayed; else the
// general check decides.
type keyView struct {
	timeline.Place
	first int                // line of its first call
	last  *timeline.Access   // the write that made its value
	wrong bool               // an anomaly was found, so it is judged no further
	list  []*timeline.Access // all operations, if their order is not known or cannot be right
}

// A keyAnomaly is an anomaly of a key. first orders the keys, and from is when the story of
// the anomaly begins.
type keyAnomaly struct {
	first int
	from  int64
	incident.Anomaly
}

// key takes the end of an operation.
func (o *objects) key(a *timeline.Access, call int) {
	p := timeline.PlaceOf(a)
	k := o.keys[p]
	if k == nil {
		k = &keyView{Place: p, first: call}
		o.keys[p] = k
	}
	k.first = min(k.first, call)
	if o.run.Untimely || o.run.Unordered[p] {
		k.list = append(k.list, &timeline.Access{Inv: a.Inv, Ret: a.Ret})
	}
}

// keyApplied replays the one order that the store claims: every read sees the
// last write.
func (o *objects) keyApplied(a *timeline.Access, call int) {
	k := o.keys[timeline.PlaceOf(a)]
	if k.wrong || len(k.list) > 0 {
		return
	}
	o.replay(k, &timeline.Access{Inv: a.Inv, Ret: a.Ret})
}

func (o *objects) replay(k *keyView, a *timeline.Access) {
	want := ""
	if k.last != nil {
		want = k.last.Op().Value
	}
	if a.Inv.F != history.Read {
		if timeline.Conditional(a) && a.Inv.Expect != want {
			k.wrong = true
			o.addReplay(k, a, k.last, fmt.Sprintf("was applied on the condition that the value is %q, but the value was %q", a.Inv.Expect, want))
		}
		k.last = a
		return
	}
	if got := a.Op().Value; got != want {
		k.wrong = true
		o.addReplay(k, a, k.last, fmt.Sprintf("saw %q, but the value was %q", got, want))
	}
}

// lastKeys judges the keys whose operations were all kept.
func (o *objects) lastKeys() {
	o.judged = len(o.keys)
	for _, k := range slices.SortedFunc(maps.Values(o.keys), func(a, b *keyView) int { return cmp.Compare(a.first, b.first) }) {
		if len(k.list) == 0 {
			continue
		}
		slices.SortStableFunc(k.list, func(a, b *timeline.Access) int { return cmp.Compare(a.Inv.Time, b.Inv.Time) })
		if !o.run.Unordered[k.Place] {
			o.replayAll(k)
			continue
		}
		verdict, from := o.register(k.list)
		switch verdict.Outcome {
		case linear.Invalid:
			a, first := rule.Nonlinearizable(o.run.End, k.list[0].Inv.Lock, k.Store, k.Key, "a register", verdict, from)
			o.addKey(k, first, a)
		case linear.Unknown:
			o.unknown = append(o.unknown, fmt.Sprintf("%s of the %s store: %s", k.Key, k.Store, verdict.Reason))
		}
	}
}

// replayAll replays a key of a store whose apply order contradicts the times. An operation
// must not be applied before another that had already returned when it was called.
func (o *objects) replayAll(k *keyView) {
	inOrder := timeline.InApplyOrder(k.list)
	earliest := int64(math.MaxInt64) // least return among the operations applied later
	var bad *timeline.Access
	for _, a := range slices.Backward(inOrder) {
		if a.Inv.Time > earliest {
			bad = a
		}
		earliest = min(earliest, a.Returned())
	}
	if bad != nil {
		o.addReplay(k, bad, nil, "was called after another operation had returned, but was applied before that operation")
		return
	}
	for _, a := range inOrder {
		if o.replay(k, a); k.wrong {
			return
		}
	}
}

func (o *objects) addReplay(k *keyView, a, last *timeline.Access, what string) {
	w := incident.Ops(a.Inv, a.Ret)
	if last != nil {
		w = incident.Ops(last.Inv, last.Ret, a.Inv, a.Ret)
	}
	op := a.Op()
	o.addKey(k, a.Inv.Time, incident.Anomaly{
		Lock: op.Lock, Store: k.Store, Key: k.Key, Time: op.Time, Ops: w,
		Sentence: fmt.Sprintf("the %s store does not behave like a register: the %s of %s by %s at %s (apply %d) %s", k.Store, op.F, k.Key, timeline.By(&op), timeline.At(op.Time), op.Apply, what),
	})
}

// addKey counts an anomaly of a key, and keeps the anomalies of the first keys.
func (o *objects) addKey(k *keyView, from int64, a incident.Anomaly) {
	o.count++
	o.wrong = append(o.wrong, keyAnomaly{k.first, from, a})
	slices.SortStableFunc(o.wrong, func(a, b keyAnomaly) int { return cmp.Compare(a.first, b.first) })
	o.wrong = o.wrong[:min(len(o.wrong), incident.Candidates)]
}

// keyFindings returns the anomalies of keys.
func (o *objects) keyFindings() *incident.Findings {
	f := incident.NewFindings(o.book)
	for i, w := range o.wrong {
		a, n := w.Anomaly, 1
		if i == len(o.wrong)-1 {
			n = o.count - i // anomalies that were not kept count as the last
		}
		a.Kind, a.Property = "nonlinearizable", incident.Linearizability
		f.Put(a, w.from, n)
	}
	return f
}

// register judges a key by the general check for linearizability. The list is in the order of
// calls.
func (o *objects) register(list []*timeline.Access) (linear.Verdict, []rule.Source) {
	var out []linear.Operation
	var from []rule.Source
	for _, a := range list {
		op, counts := registerOperation(a)
		if !counts {
			continue
		}
		op.Line = len(from)
		out = append(out, op)
		from = append(from, rule.Source{Inv: a.Inv, Ret: a.Ret})
	}
	return linear.Check(out, "register", linear.Options{Timeout: o.run.Options.Timeout, Memory: o.run.Options.Memory}), from
}

// registerOperation translates an operation on a key into one on a register. It reports false
// if the operation is not to be judged.
func registerOperation(a *timeline.Access) (linear.Operation, bool) {
	op := linear.Operation{Process: a.Inv.Process, Call: a.Inv.Time, Value: a.Op().Value, F: linear.Write}
	switch {
	case a.Inv.F == history.Read:
		op.F = linear.Read
	case timeline.Conditional(a):
		op.F, op.Expect = linear.CAS, a.Inv.Expect
	}
	switch {
	case a.Ret == nil || a.Ret.Type == history.Info:
	case a.Ret.Type == history.Fail:
		// A plain store refuses a conditional write only for its condition; a
		// fenced one may have refused it for its token.
		op.Status, op.Return = linear.Refused, a.Ret.Time
		return op, op.F == linear.CAS && a.RefusedByStore() && a.Inv.Store == history.Plain
	default:
		op.Status, op.Return = linear.OK, a.Ret.Time
	}
	return op, true
}
