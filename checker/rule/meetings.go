package rule

import (
	"cmp"
	"slices"

	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// The rules by which a fault counts as effective where clients meet.
const (
	meetStopRule = "while a client was paused by the fault, another client was waiting at a latch, or waiting to enter or leave a barrier; if the fault paused a server, one waiting client is enough"
	meetKillRule = "when the killed client died, or afterwards, another client was waiting at a latch, or waiting to enter or leave a barrier"
	meetRule     = "between fault and heal, at least one client was waiting at a latch, or waiting to enter or leave a barrier (one is enough, because all parties wait for each other there)"
)

// meetings notes the faults that are effective where clients meet.
type meetings struct {
	run *timeline.Run
	bit map[int]bool // by the place of the fault
}

// met notes the faults that mattered to a call that waits for others.
func (r *meetings) met(client int, from, to int64) {
	for i, s := range r.run.Faults {
		// Times are closed: a call that ends as the fault begins may have felt it.
		during, other := from <= s.To && to >= s.From, client != s.Op.Client
		switch {
		// A kill is a moment, but its victim stays away. So the kill matters to every wait
		// that ends later.
		case s.Effect(history.Killed):
			during = to >= s.From && other
		case s.Effect(history.Stopped):
			during = during && other
		}
		r.bit[i] = r.bit[i] || during
	}
}

// check notes the faults that mattered to the calls at a barrier.
func (r *meetings) check(p *timeline.Piece) {
	for _, w := range p.Calls {
		r.met(w.Client, w.Called, w.End)
	}
	for _, g := range p.Fresh() {
		if g.RelCall != nil {
			r.met(g.Client, g.RelCall.Time, min(g.Gone, r.run.End))
		}
	}
}

// partyOperations translates the calls at a barrier into operations of the model. Each stay
// has a process number of its own: to the model a client that comes again is another party. A
// call without a lease is an entry without an end. If the end of a stay is uncertain, the
// model may end the stay at any time from the earliest possible moment on. So a barrier is not
// accused over a party that may have been gone.
func (r *nonlinearizable) partyOperations(l *timeline.Lock, waits []*timeline.Call) ([]linear.Operation, []Source) {
	t := translation{}
	process := 0
	for _, w := range waits {
		if w.Lease == nil && w.Asked() {
			t.add(linear.Enter, process, 0, w.Inv, w.Ret, w.Line)
			process++
		}
	}
	for _, g := range l.Leases {
		t.add(linear.Enter, process, 0, g.Inv, g.Ret, g.Line)
		stay := stays(r.run, g)
		switch {
		case g.RelCall != nil && stay >= g.RelCall.Time && (g.RelRet == nil || g.RelRet.Type != history.Fail):
			t.add(linear.Leave, process, 0, g.RelCall, g.RelRet, g.RelLine)
		case stay < history.Never:
			t.add(linear.End, process, 0, g.Ret, nil, g.Line)
			t.list[len(t.list)-1].Call = max(stay, g.Granted())
		}
		process++
	}
	return t.inOrder()
}

// sortedCalls returns calls in the order of their times.
func sortedCalls(calls []timeline.LatchCall) []timeline.LatchCall {
	calls = slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b timeline.LatchCall) int { return cmp.Compare(a.Inv.Time, b.Inv.Time) })
	return calls
}
