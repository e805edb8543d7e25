package checker

import (
	"fmt"

	"locktorture/history"
)

// staleAccepted finds operations of an older grant that the fenced store
// applied after one of a newer. Which grant is older is told by the times of
// the grants, not by the tokens: unsound tokens must not hide it. Only where
// the times leave it open do the tokens decide.
func (v *view) staleAccepted(l *lockView) {
	newest, highest := l.past.newest, l.past.highest // by since, by token
	for _, a := range inApplyOrder(l.accesses) {
		if a.inv.Store != history.Fenced {
			continue
		}
		switch {
		case newest != nil && a.lease.before(newest.lease):
			v.addStale(l.found, a, newest)
		case highest != nil && a.lease.token < highest.lease.token && a.lease.granted() < highest.lease.granted():
			v.addStale(l.found, a, highest)
		}
		if newest == nil || a.lease.since > newest.lease.since {
			newest = a
		}
		if highest == nil || a.lease.token > highest.lease.token {
			highest = a
		}
	}
	l.past.newest, l.past.highest = newest, highest
}

func (v *view) addStale(f *findings, a, newer *access) {
	f.add("stale-accepted", a.lease.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: a.lease.lock, Store: history.Fenced, Key: a.op().Key, Time: a.ret.Time,
			Ops: ops(a.lease.ret, newer.lease.inv, newer.lease.ret, newer.inv, newer.ret, a.inv, a.ret),
			Sentence: fmt.Sprintf("the fenced store let %s, under %s of %s granted at %s, %s at %s (apply %d) after an operation of %s under %s granted at %s (apply %d)",
				who(a.lease.client), a.lease.name(), a.lease.lock, at(a.lease.granted()), bare(a), at(a.ret.Time), a.applied(),
				who(newer.lease.client), newer.lease.name(), at(newer.lease.granted()), newer.applied()),
		}
	})
}

// bare describes an operation after "let c1": `write L/counter = "7"`.
func bare(a *access) string {
	op := a.op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("write %s = %q", op.Key, op.Value)
}
