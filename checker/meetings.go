package checker

import (
	"cmp"
	"slices"

	"locktorture/checker/linear"
	"locktorture/history"
)

// The rules by which a fault counts as effective where clients meet.
const (
	meetStopRule = "another client waited for a latch or a barrier, or to leave it, while the struck one was stopped; of a server, when anybody did"
	meetKillRule = "another client waited for a latch or a barrier, or to leave it, when the struck one died or afterwards"
	meetRule     = "somebody waited for a latch or a barrier, or to leave it, between fault and heal: all wait for each other"
)

// meetings notes the faults that are effective where clients meet.
type meetings struct {
	run *survey
	bit map[int]bool // by the place of the fault
}

// met notes the faults that mattered to a call that waits for others.
func (r *meetings) met(client int, from, to int64) {
	for i, s := range r.run.faults {
		during, other := from <= s.to && to >= s.from, client != s.fault.Client
		switch {
		case s.effect(history.Killed):
			during = to >= s.from && other
		case s.effect(history.Stopped):
			during = during && other
		}
		r.bit[i] = r.bit[i] || during
	}
}

// check notes them for all that was done at a barrier.
func (r *meetings) check(p *piece) {
	for _, w := range p.calls {
		r.met(w.client, w.call, w.end)
	}
	for _, g := range p.fresh() {
		if g.relCall != nil {
			r.met(g.client, g.relCall.Time, min(g.gone, r.run.end))
		}
	}
}

// partyOperations translates what was done at a barrier. Each stay has a process number of its
// own: a client that comes again is another party to the model. A stay of which only the end
// is known, or not even that, ends with its client gone.
func (r *nonlinearizable) partyOperations(l *lockView, waits []*wait) ([]linear.Operation, []source) {
	t := translation{}
	process := 0
	for _, w := range waits {
		if w.lease == nil && w.asked() {
			t.add(linear.Enter, process, 0, w.inv, w.ret, w.line)
			process++
		}
	}
	for _, g := range l.leases {
		t.add(linear.Enter, process, 0, g.inv, g.ret, g.line)
		stay := stays(r.run, g)
		switch {
		case g.relCall != nil && stay >= g.relCall.Time && (g.relRet == nil || g.relRet.Type != history.Fail):
			t.add(linear.Leave, process, 0, g.relCall, g.relRet, g.relLine)
		case stay < history.Never:
			t.add(linear.End, process, 0, g.ret, nil, g.line)
			t.list[len(t.list)-1].Call = max(stay, g.granted())
		}
		process++
	}
	return t.inOrder()
}

// sortedCalls are calls in the order of their times.
func sortedCalls(calls []latchCall) []latchCall {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b latchCall) int { return cmp.Compare(a.inv.Time, b.inv.Time) })
	return calls
}
