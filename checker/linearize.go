package checker

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/checker/linear"
	"locktorture/history"
)

// A linearState is what is known of the lock operations of one lock. They are
// judged part by part: where a part ends nobody holds the lock, and of the
// acquires that are under way each can be taken to happen later.
type linearState struct {
	judged  bool
	invalid bool
	unknown string        // why some part could not be judged
	spent   time.Duration // by searches
}

// linearizeLock judges the new operations on a lock by the model that its
// backend declares.
func (v *view) linearizeLock(l *lockView, waits []*wait) {
	st := &l.linear
	if v.o.Model == "" || st.invalid {
		return
	}
	model := v.o.Model
	if l.reentered(waits) {
		model = reentrant(model)
	}
	list, source := v.lockOperations(l, waits, knowsReentry(model))
	if len(list) == 0 {
		return
	}
	st.judged = true
	o := linear.Options{Timeout: v.o.Timeout, Memory: v.o.Memory, TTL: v.o.TTL}
	if o.Timeout > 0 {
		o.Timeout = max(o.Timeout-st.spent, time.Millisecond)
	}
	verdict := linear.Check(list, model, o)
	switch verdict.Outcome {
	case linear.Invalid:
		st.invalid = true
		addNonlinearizable(l.found, l.name, "", "", "the model "+model, verdict, source)
	case linear.Unknown:
		st.spent += verdict.Elapsed
		st.unknown = cmp.Or(st.unknown, fmt.Sprintf("%s by the model %s: %s", l.name, model, verdict.Reason))
	}
}

// linearized sums up what was found of locks and keys, which are independent
// objects and judged each by itself.
func (v *view) linearized(f *findings) Property {
	var unknown []string
	judged := v.objects.judged
	for _, l := range v.byName() {
		if l.linear.judged {
			judged++
		}
		if l.linear.unknown != "" && !l.linear.invalid {
			unknown = append(unknown, l.linear.unknown)
		}
	}
	unknown = append(unknown, v.objects.unknown...)
	p := f.property(Linearizability)
	switch {
	case p.Total > 0:
	case len(unknown) > 0:
		p.Status, p.Reason = NotChecked, reasons(unknown)
	case v.o.Model == "":
		p.Reason = "the lock declares no model: only the stores were judged"
	case judged == 0:
		p.Status, p.Reason = NotChecked, "no operations"
	}
	return p
}

// reasons joins the first reasons.
func reasons(list []string) string {
	if n := len(list) - witnesses; n > 0 {
		list = append(list[:witnesses:witnesses], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, "; ")
}

// source is where an operation that was judged stands in the history.
type source struct{ inv, ret *history.Op }

// lockOperations translates what was done with a lock. What is done with a
// lease belongs to the process that it was granted to, also when the client
// has a new process number since. Re-entries are left out if the model does not know of them: to all
// others the lock is held from the outermost grant to the outermost release.
func (v *view) lockOperations(l *lockView, waits []*wait, reentries bool) ([]linear.Operation, []source) {
	var list []linear.Operation
	var from []source
	var lines []int
	add := func(f linear.F, process int, token uint64, inv, ret *history.Op, line int) {
		op := linear.Operation{Process: process, F: f, Token: token, Call: inv.Time, Line: len(from)}
		if ret != nil {
			op.Return = ret.Time
			switch ret.Type {
			case history.OK:
				op.Status = linear.OK
			case history.Fail:
				op.Status = linear.Refused
			}
		}
		list = append(list, op)
		from = append(from, source{inv, ret})
		lines = append(lines, line)
	}
	for _, g := range l.leases[:l.judged] {
		if g.inner && !reentries {
			continue
		}
		add(linear.Acquire, g.process, g.token, g.inv, g.ret, g.line)
	}
	for _, w := range waits {
		if w.ret != nil && w.ret.Refused == history.ByClient {
			continue // nothing was asked of the service
		}
		if w.within != nil && !reentries {
			continue
		}
		var token uint64
		if w.lease != nil {
			token = w.lease.token
		}
		add(linear.Acquire, w.process, token, w.inv, w.ret, w.line)
	}
	for _, g := range l.leases {
		if g.inner && !reentries {
			continue
		}
		for i, c := range g.renewals {
			add(linear.Renew, g.process, g.token, c.Invoke, c.Return, g.renewLines[i])
		}
		if g.relCall != nil {
			add(linear.Release, g.process, g.token, g.relCall, g.relRet, g.relLine)
		}
		if end, line := g.ending(); end != nil {
			add(linear.End, g.process, 0, end, nil, line)
			if end == g.crash {
				list[len(list)-1].Call = max(g.killed, g.granted()) // it was granted before it died
			}
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[a].Call, list[b].Call), cmp.Compare(lines[a], lines[b]))
	})
	sorted, sources := make([]linear.Operation, len(list)), make([]source, len(list))
	for i, j := range order {
		sorted[i], sources[i] = list[j], from[j]
		sorted[i].Line = i
	}
	return sorted, sources
}

// ending is what ended a lease that nobody released: the holder's death or
// the loss that it was told, after which the service may free it at any time.
func (l *lease) ending() (op *history.Op, line int) {
	if l.crash != nil {
		return l.crash, l.endLine
	}
	if l.relCall == nil && l.lost != nil {
		return l.lost, l.endLine
	}
	return nil, 0
}

func addNonlinearizable(f *findings, lock, store, key, by string, verdict linear.Verdict, from []source) {
	var w []*history.Op
	for _, i := range verdict.Witness {
		if i >= 0 && i < len(from) {
			w = append(w, from[i].inv, from[i].ret)
		}
	}
	proof := ops(w...)
	first, last := int64(0), f.s.end
	if len(proof) > 0 {
		first, last = proof[0].Time, proof[len(proof)-1].Time
	}
	f.add("nonlinearizable", first, func() Anomaly {
		what := lock
		if key != "" {
			what = key + " of the " + store + " store"
		}
		return Anomaly{
			Lock: lock, Store: store, Key: key, Time: last, Ops: proof,
			Sentence: fmt.Sprintf("the operations on %s up to %s fit no order that %s allows: %s", what, at(last), by, inSeconds(verdict.Explanation)),
		}
	})
}

// inSeconds writes the times of an explanation, nanoseconds, as all others.
func inSeconds(s string) string {
	times := regexp.MustCompile(`(token )?\b\d{6,}\b`)
	return times.ReplaceAllStringFunc(s, func(m string) string {
		t, err := strconv.ParseInt(m, 10, 64)
		if err != nil { // a token
			return m
		}
		return fmt.Sprintf("%.6f s", float64(t)/1e9)
	})
}
