package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"locktorture/checker/incident"
	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// Latches are no locks, because nobody holds anything. So they are judged beside the locks,
// each with the calls of its parties and the waits for it.

// A latch is judged when it is open and nothing is under way. After that, only the moment at
// which it was open is kept, for waits that come late.
//
// A claim that a latch opened early counts each call from when it was made, which is the
// earliest moment at which it can have had an effect. A claim that a latch did not open counts
// answers.
type latch struct {
	name    string
	parties int
	calls   []timeline.LatchCall // count-downs
	waits   []timeline.LatchCall
	pending int // calls and waits under way
	// open, in ns, is the latest moment at which a correct latch can have opened.
	open  int64 // when the last count-down that it took had been answered; Never: not yet
	proof *history.Op
	// Once judged, the latch is open: nobody who comes later can pass it early.
	judged bool
	// late and told keep a single slow wait from accusing the latch.
	late []timeline.LatchCall // waits that took too long and are not reported yet: one may have been slow itself
	told bool                 // it was reported that the latch did not open
}

// Latches judges the latches of a run: whether one opened too early, or did not open. It is a
// timeline.LatchesFollower.
type Latches struct {
	base
	faults meetings // notes the faults that are effective
	byName map[string]*latch
	linear linearState
}

// NewLatches returns the judge of the latches of a run.
func NewLatches(c *Case) *Latches {
	return &Latches{base: c.base(), faults: meetings{c.Run, c.Bit}, byName: map[string]*latch{}}
}

// Called takes the call of a latch.
func (r *Latches) Called(op *history.Op) {
	l := r.byName[op.Lock]
	if l == nil {
		l = &latch{name: op.Lock, open: history.Never}
		r.byName[op.Lock] = l
	}
	l.parties = max(l.parties, op.Parties)
	l.pending++
}

// Answered takes the end of a call, with a nil ret if it was never answered.
func (r *Latches) Answered(inv, ret *history.Op) {
	l, c := r.byName[inv.Lock], timeline.LatchCall{Inv: inv, Ret: ret}
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
	r.faults.met(r.run.Client(inv), inv.Time, r.run.LatchEnd(c))
	if l.opened(); l.pending == 0 && l.open < history.Never {
		r.judge(l)
	}
}

// measureWait counts a pass as a grant.
func (r *Latches) measureWait(c timeline.LatchCall) {
	// Nobody holds a latch, so a pass is all that there is to count towards min_grants.
	m := r.totals
	if c.OK() {
		m.PerClient[r.run.Client(c.Inv)]++
		m.Acquire.Add(c.Ret.Time - c.Inv.Time)
		m.Promised++
	}
}

// opened sets open, the moment from which the latch was certainly open. A party counts once,
// from the first of its answers. Calls of unknown outcome may not have reached the latch, so
// they are left out.
func (l *latch) opened() {
	if l.open < history.Never || l.parties == 0 {
		return
	}
	first := map[string]*history.Op{} // party → its first answer
	for _, c := range l.calls {
		if was := first[c.Inv.Who()]; c.OK() && (was == nil || c.Ret.Time < was.Time) {
			first[c.Inv.Who()] = c.Ret
		}
	}
	if len(first) < l.parties {
		return
	}
	answers := slices.SortedFunc(maps.Values(first), func(a, b *history.Op) int { return cmp.Compare(a.Time, b.Time) })
	l.proof = answers[l.parties-1]
	l.open = l.proof.Time
}

// judge judges what is new at a latch. A latch that was judged before is open, so only the
// time of a pass can still be wrong.
func (r *Latches) judge(l *latch) {
	l.opened()
	for _, w := range l.waits {
		// Only success claims that the latch was open. A wait that failed may have run out of time.
		if w.OK() && !l.judged {
			r.passed(l, w)
		}
		if _, late := r.run.Stuck(r.waited(l, w)); late {
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
// Every count-down that was called by the answer to the wait counts, unless it was refused for
// certain. A call of unknown outcome may have been counted. If there were enough calls but not
// enough parties, the latch counted a party twice.
func (r *Latches) passed(l *latch, w timeline.LatchCall) {
	parties, calls := map[string]bool{}, 0
	entries := []*history.Op{w.Inv, w.Ret}
	for _, c := range l.calls {
		if c.Inv.Time <= w.Ret.Time && !c.Refused() {
			parties[c.Inv.Who()] = true
			calls++
			entries = append(entries, c.Inv, c.Ret)
		}
	}
	if len(parties) >= l.parties {
		return
	}
	kind, how := "early-open", ""
	if calls >= l.parties {
		kind, how = "double-count", fmt.Sprintf(", in %d calls", calls)
	}
	r.found.Add(kind, w.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: l.name, Time: w.Ret.Time, Ops: incident.Ops(entries...),
			Sentence: fmt.Sprintf("%s passed the latch %s at %s although only %d of its %d parties had called count-down%s",
				timeline.Who(r.run.Client(w.Inv)), l.name, timeline.At(w.Ret.Time), len(parties), l.parties, how),
		}
	})
}

// linearize judges a latch by the model that its backend declares. All count-downs of a party
// are one operation, from its first call to its first answer. The model knows count-downs but
// no parties, and a second count-down of a party must not open the latch. A latch is judged
// once, so its search may take all of the time limit.
func (r *Latches) linearize(l *latch) {
	st := &r.linear
	if r.run.Options.Model == "" || len(l.waits) == 0 {
		return
	}
	st.judged = true
	list, from := l.operations()
	verdict := linear.Check(list, r.run.Options.Model, linear.Options{Timeout: r.run.Options.Timeout, Memory: r.run.Options.Memory, Parties: l.parties})
	switch verdict.Outcome {
	case linear.Invalid:
		verdict.Explanation = ofHistory(verdict.Explanation, list, from)
		addNonlinearizable(r.found, l.name, "", "", "the model "+r.run.Options.Model, verdict, from)
	case linear.Unknown:
		st.unknown = cmp.Or(st.unknown, fmt.Sprintf("%s by the model %s: %s", l.name, r.run.Options.Model, verdict.Reason))
	}
}

// operations translates the calls of a latch for the model.
func (l *latch) operations() ([]linear.Operation, []Source) {
	t := translation{}
	calls := sortedCalls(l.calls)
	first := map[string]int{} // party → its place in the list
	for n, c := range calls {
		i, again := first[c.Inv.Who()]
		switch {
		// A refused call did nothing.
		case c.Refused():
		// No process of the history has a number below zero. Each party gets such a number of
		// its own.
		case !again:
			first[c.Inv.Who()] = len(t.list)
			t.add(linear.CountDown, -1-len(first), 0, c.Inv, c.Ret, n)
		// The first success of a party is the latest moment at which it can have been counted.
		case c.OK() && (t.list[i].Status != linear.OK || c.Ret.Time < t.list[i].Return):
			t.list[i].Status, t.list[i].Return, t.from[i].Ret = linear.OK, c.Ret.Time, c.Ret
		}
	}
	for n, w := range l.waits {
		t.add(linear.Await, w.Inv.Process, 0, w.Inv, w.Ret, len(calls)+n)
	}
	return t.inOrder()
}

// Last judges what is left of all latches.
func (r *Latches) Last() {
	for _, l := range slices.SortedFunc(maps.Values(r.byName), func(a, b *latch) int { return cmp.Compare(a.name, b.name) }) {
		r.judge(l)
	}
}

// Findings adds what was found, and returns how many latches a model judged and why it could
// not judge others.
func (r *Latches) Findings(f *incident.Findings) (judged int, unknown []string) {
	f.Join(r.found)
	if !r.linear.judged {
		return 0, nil
	}
	if r.linear.unknown != "" {
		unknown = append(unknown, r.linear.unknown)
	}
	return 1, unknown
}
