package checker

import (
	"fmt"
	"math"
	"slices"

	"locktorture/checker/linear"
	"locktorture/history"
)

// A place is one key of one store.
type place struct{ store, key string }

// linearizeKeys judges every key of every store as a register. This is about
// the store, not the lock: a lost update on a sound store is linearizable.
// Where the store told the order in which it applied the operations, that order
// is the only candidate and is replayed; else the general check decides.
func (v *view) linearizeKeys(f *findings) (judged int, unknown []string) {
	keys := make(map[place][]*access)
	var names []place
	for _, a := range v.stores {
		p := place{a.inv.Store, a.inv.Key}
		if keys[p] == nil {
			names = append(names, p)
		}
		keys[p] = append(keys[p], a)
	}
	for _, p := range names {
		judged++
		list := keys[p]
		if ordered(list) {
			v.replay(f, p, list)
			continue
		}
		verdict, from := v.register(list)
		switch verdict.Outcome {
		case linear.Invalid:
			v.addNonlinearizable(f, list[0].inv.Lock, p.store, p.key, "a register", verdict, from)
		case linear.Unknown:
			unknown = append(unknown, fmt.Sprintf("%s of the %s store: %s", p.key, p.store, verdict.Reason))
		}
	}
	return judged, unknown
}

// ordered tells that every operation that may have changed the key, and every
// read that was answered, has its apply number.
func ordered(list []*access) bool {
	return !slices.ContainsFunc(list, func(a *access) bool {
		switch {
		case a.applied() > 0:
			return false
		case a.ret != nil && a.ret.Type == history.Fail:
			return false
		}
		return a.inv.F != history.Read || a.ret != nil && a.ret.Type == history.OK
	})
}

// replay checks the one order that the store claims: every read sees the last
// write, and no operation is applied after one that was called when it had
// returned already.
func (v *view) replay(f *findings, p place, list []*access) {
	inOrder := inApplyOrder(list)
	earliest := int64(math.MaxInt64) // least return of those applied later
	var bad *access
	for _, a := range slices.Backward(inOrder) {
		if a.inv.Time > earliest {
			bad = a
		}
		earliest = min(earliest, a.returned())
	}
	if bad != nil {
		v.addReplay(f, p, bad, nil, "was applied before one that had returned when it was called")
		return
	}
	var last *access
	for _, a := range inOrder {
		if a.inv.F != history.Read {
			last = a
			continue
		}
		want := ""
		if last != nil {
			want = last.op().Value
		}
		if got := a.op().Value; got != want {
			v.addReplay(f, p, a, last, fmt.Sprintf("saw %q where %q had been written", got, want))
			return
		}
	}
}

func (v *view) addReplay(f *findings, p place, a, last *access, what string) {
	f.add("nonlinearizable", a.inv.Time, func() Anomaly {
		w := ops(a.inv, a.ret)
		if last != nil {
			w = ops(last.inv, last.ret, a.inv, a.ret)
		}
		op := a.op()
		return Anomaly{
			Lock: op.Lock, Store: p.store, Key: p.key, Time: op.Time, Ops: w,
			Sentence: fmt.Sprintf("the %s store is no register: the %s of %s by %s at %s (apply %d) %s", p.store, op.F, p.key, by(&op), at(op.Time), op.Apply, what),
		}
	})
}

// register asks the general check. The list is in the order of calls.
func (v *view) register(list []*access) (linear.Verdict, []source) {
	var out []linear.Operation
	var from []source
	for _, a := range list {
		if a.ret != nil && a.ret.Type == history.Fail {
			continue
		}
		op := linear.Operation{Process: a.inv.Process, Call: a.inv.Time, Value: a.op().Value, F: linear.Write, Line: len(from)}
		if a.inv.F == history.Read {
			op.F = linear.Read
		}
		if a.ret != nil && a.ret.Type == history.OK {
			op.Status, op.Return = linear.OK, a.ret.Time
		}
		out = append(out, op)
		from = append(from, source{a.inv, a.ret})
	}
	return linear.Check(out, "register", linear.Options{Timeout: v.o.Timeout, Memory: v.o.Memory}), from
}
