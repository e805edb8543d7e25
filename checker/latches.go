package checker

import (
	"cmp"
	"fmt"

	"locktorture/checker/linear"
	"locktorture/history"
)

// Latches are no locks: nobody holds anything. So they stand beside the locks of a view, each
// with the calls of its parties and the waits for it.

// A latch is one, until it is judged; then only when it was open is kept, for those who come
// late.
type latch struct {
	name    string
	parties int
	calls   []latchCall // count-downs
	waits   []latchCall
	pending int   // calls and waits under way
	open    int64 // when the last count-down that it took had been answered; Never
	proof   *history.Op
	judged  bool
	late    []latchCall // waits that took too long, and are not told: one may have been slow itself
	told    bool        // that it did not open
}

// latches judges the latches of a history: whether one opened too early, or did not open.
type latches struct {
	base
	totals *totals
	faults meetings // those that are effective
	byName map[string]*latch
	linear linearState
}

func newLatches(b base, t *totals, m meetings) *latches {
	return &latches{base: b, totals: t, faults: m, byName: map[string]*latch{}}
}

// latchCalled takes the call of a latch.
func (r *latches) called(op *history.Op) {
	l := r.byName[op.Lock]
	if l == nil {
		l = &latch{name: op.Lock, open: history.Never}
		r.byName[op.Lock] = l
	}
	l.parties = max(l.parties, op.Parties)
	l.pending++
}

// latchAnswered takes its end, nil if it has none.
func (r *latches) answered(inv, ret *history.Op) {
	l, c := r.byName[inv.Lock], latchCall{inv, ret}
	if ret != nil {
		l.pending--
	}
	switch inv.F {
	case history.CountDown:
		l.calls = append(l.calls, c)
	case history.Await:
		l.waits = append(l.waits, c)
		r.measureWait(c)
	}
	r.faults.met(r.run.client(inv), inv.Time, r.run.latchEnd(c))
	if l.opened(); l.pending == 0 && l.open < history.Never {
		r.judge(l)
	}
}

func (r *latches) measureWait(c latchCall) {
	m := r.totals
	if c.ok() {
		m.perClient[r.run.client(c.inv)]++
		m.acquire.Add(c.ret.Time - c.inv.Time)
		m.promised++
	}
}

// opened finds out when the latch was open for certain.
func (l *latch) opened() {
	if l.open < history.Never || l.parties == 0 {
		return
	}
	first := map[string]*history.Op{} // party → its first answer
	for _, c := range l.calls {
		if was := first[c.inv.Who()]; c.ok() && (was == nil || c.ret.Time < was.Time) {
			first[c.inv.Who()] = c.ret
		}
	}
	if len(first) < l.parties {
		return
	}
	answers := sorted(first, func(a, b *history.Op) int { return cmp.Compare(a.Time, b.Time) })
	l.proof = answers[l.parties-1]
	l.open = l.proof.Time
}

// judgeLatch judges what is new of a latch. Once it was judged it is open, and nothing but the
// time of a pass can be wrong.
func (r *latches) judge(l *latch) {
	l.opened()
	for _, w := range l.waits {
		if w.ok() && !l.judged {
			r.passed(l, w)
		}
		if _, late := r.run.stuck(r.waited(l, w)); late {
			l.late = append(l.late, w)
		}
	}
	r.neverOpen(l)
	if !l.judged {
		r.linearize(l)
	}
	l.judged = l.open < history.Never
	l.calls, l.waits = nil, nil
}

// passed finds a wait that ended with success before all parties had called.
func (r *latches) passed(l *latch, w latchCall) {
	parties, calls := map[string]bool{}, 0
	entries := []*history.Op{w.inv, w.ret}
	for _, c := range l.calls {
		if c.inv.Time <= w.ret.Time && !c.refused() {
			parties[c.inv.Who()] = true
			calls++
			entries = append(entries, c.inv, c.ret)
		}
	}
	if len(parties) >= l.parties {
		return
	}
	kind, how := "early-open", ""
	if calls >= l.parties {
		kind, how = "double-count", fmt.Sprintf(", in %d calls", calls)
	}
	r.found.add(kind, w.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: w.ret.Time, Ops: ops(entries...),
			Sentence: fmt.Sprintf("%s passed the latch %s at %s when %d of its %d parties had called to count down%s",
				who(r.run.client(w.inv)), l.name, at(w.ret.Time), len(parties), l.parties, how),
		}
	})
}

// linearizeLatch judges a latch by the model that its backend declares. A party that counted
// down again is one operation, from its first call to its first answer.
func (r *latches) linearize(l *latch) {
	st := &r.linear
	if r.run.o.Model == "" || len(l.waits) == 0 {
		return
	}
	st.judged = true
	list, from := l.operations()
	verdict := linear.Check(list, r.run.o.Model, linear.Options{Timeout: r.run.o.Timeout, Memory: r.run.o.Memory, Parties: l.parties})
	switch verdict.Outcome {
	case linear.Invalid:
		verdict.Explanation = ofHistory(verdict.Explanation, list, from)
		addNonlinearizable(r.found, l.name, "", "", "the model "+r.run.o.Model, verdict, from)
	case linear.Unknown:
		st.unknown = cmp.Or(st.unknown, fmt.Sprintf("%s by the model %s: %s", l.name, r.run.o.Model, verdict.Reason))
	}
}

func (l *latch) operations() ([]linear.Operation, []source) {
	t := translation{}
	calls := sortedCalls(l.calls)
	first := map[string]int{} // party → its place in the list
	for n, c := range calls {
		i, again := first[c.inv.Who()]
		switch {
		case c.refused():
		case !again:
			first[c.inv.Who()] = len(t.list)
			t.add(linear.CountDown, -1-len(first), 0, c.inv, c.ret, n)
		case c.ok() && (t.list[i].Status != linear.OK || c.ret.Time < t.list[i].Return):
			t.list[i].Status, t.list[i].Return, t.from[i].ret = linear.OK, c.ret.Time, c.ret
		}
	}
	for n, w := range l.waits {
		t.add(linear.Await, w.inv.Process, 0, w.inv, w.ret, len(calls)+n)
	}
	return t.inOrder()
}

// lastLatches judges what is left of all latches.
func (r *latches) last() {
	for _, l := range sorted(r.byName, func(a, b *latch) int { return cmp.Compare(a.name, b.name) }) {
		r.judge(l)
	}
}
