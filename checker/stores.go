package checker

import (
	"cmp"
	"slices"

	"locktorture/history"
)

// inApplyOrder returns the applied operations in the order in which the store
// applied them. Plain and fenced keys live in one resource with one count.
func inApplyOrder(list []*access) []*access {
	out := make([]*access, 0, len(list))
	for _, a := range list {
		if a.applied() > 0 {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b *access) int { return cmp.Compare(a.applied(), b.applied()) })
	return out
}

// storeResults judges each store by the workload's invariant.
func (v *view) storeResults(f *findings, inv Invariant) []StoreResult {
	var results []StoreResult
	for _, store := range []string{history.Plain, history.Fenced} {
		r, applied := v.storeResult(store)
		if r.Reads+r.Writes+r.Refused == 0 {
			continue
		}
		if inv != nil {
			v.judgeStore(f, inv, &r, applied)
		}
		results = append(results, r)
	}
	return results
}

// storeResult counts what happened to a store and returns its applied operations in order.
func (v *view) storeResult(store string) (StoreResult, []history.Op) {
	r := StoreResult{Store: store, Correct: true}
	var mine []*access
	for _, a := range v.stores {
		if a.inv.Store != store {
			continue
		}
		switch {
		case a.refusedByStore():
			r.Refused++
		case a.applied() == 0 || a.lease == nil:
		case a.inv.F == history.Read:
			r.Reads++
		default:
			r.Writes++
		}
		mine = append(mine, a)
	}
	mine = v.certain(inApplyOrder(mine))
	applied := make([]history.Op, len(mine))
	for i, a := range mine {
		applied[i] = a.op()
	}
	return r, applied
}

// certain drops what may have been built on a write of unknown outcome: if
// there is one, all that was applied after the first number that is missing.
func (v *view) certain(mine []*access) []*access {
	unknown := slices.ContainsFunc(v.stores, func(a *access) bool {
		return a.inv.F != history.Read && a.applied() == 0 && (a.ret == nil || a.ret.Type == history.Info)
	})
	if !unknown || len(mine) == 0 {
		return mine
	}
	all := inApplyOrder(v.stores)
	next := all[0].applied()
	for _, a := range all {
		if a.applied() > next {
			break
		}
		next = a.applied() + 1
	}
	return slices.DeleteFunc(mine, func(a *access) bool { return a.applied() >= next })
}

func (v *view) judgeStore(f *findings, inv Invariant, r *StoreResult, applied []history.Op) {
	anomalies, loss := inv.Check(applied)
	for _, a := range anomalies {
		from := a.Time
		if len(a.Ops) > 0 {
			from = a.Ops[0].Time
		}
		a.Store = r.Store
		f.add(a.Kind, from, func() Anomaly { return a })
	}
	r.Correct = len(anomalies) == 0
	r.Lost, r.Of, r.LossUnit, r.Note = loss.Lost, loss.Of, loss.Unit, loss.Note
	if loss.Of > 0 {
		r.Loss = float64(loss.Lost) / float64(loss.Of)
	}
}
