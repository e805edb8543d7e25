package checker

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locktorture/checker/linear"
	"locktorture/history"
)

// linearize judges the operations of each lock by the model that its backend
// declares, and those of each key of each store by a register. Locks and keys
// are independent objects, so each is judged by itself.
func (v *view) linearize(f *findings) Property {
	var unknown []string
	judged := 0
	for _, l := range v.locks {
		list, source := v.lockOperations(l)
		if len(list) == 0 || v.o.Model == "" {
			continue
		}
		judged++
		o := linear.Options{Timeout: v.o.Timeout, Memory: v.o.Memory, TTL: v.o.TTL}
		verdict := linear.Check(list, v.o.Model, o)
		switch verdict.Outcome {
		case linear.Invalid:
			v.addNonlinearizable(f, l.name, "", "", "the model "+v.o.Model, verdict, source)
		case linear.Unknown:
			unknown = append(unknown, fmt.Sprintf("%s by the model %s: %s", l.name, v.o.Model, verdict.Reason))
		}
	}
	n, reasons := v.linearizeKeys(f)
	unknown = append(unknown, reasons...)
	p := f.property(linearizability)
	switch {
	case p.Total > 0:
	case len(unknown) > 0:
		p.Status, p.Reason = NotChecked, strings.Join(unknown, "; ")
	case v.o.Model == "":
		p.Reason = "the lock declares no model: only the stores were judged"
	case judged+n == 0:
		p.Status, p.Reason = NotChecked, "no operations"
	}
	return p
}

// source is where an operation that was judged stands in the history.
type source struct{ inv, ret *history.Op }

// lockOperations translates what was done with a lock. What is done with a
// lease belongs to the process that it was granted to, also when the client
// has a new process number since.
func (v *view) lockOperations(l *lockView) ([]linear.Operation, []source) {
	var list []linear.Operation
	var from []source
	add := func(f linear.F, process int, token uint64, inv, ret *history.Op) {
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
	}
	for _, w := range l.waits {
		if w.ret != nil && w.ret.Refused == history.ByClient {
			continue // nothing was asked of the service
		}
		var token uint64
		if w.lease != nil {
			token = w.lease.token
		}
		add(linear.Acquire, w.process, token, w.inv, w.ret)
	}
	for _, g := range l.leases {
		for _, c := range g.renewals {
			add(linear.Renew, g.process, g.token, c.Invoke, c.Return)
		}
		if g.relCall != nil {
			add(linear.Release, g.process, g.token, g.relCall, g.relRet)
		}
		if end := g.ending(); end != nil {
			add(linear.End, g.process, 0, end, nil)
			if end == g.crash {
				list[len(list)-1].Call = max(g.killed, g.granted()) // it was granted before it died
			}
		}
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compare(list[a].Call, list[b].Call) })
	sorted, sources := make([]linear.Operation, len(list)), make([]source, len(list))
	for i, j := range order {
		sorted[i], sources[i] = list[j], from[j]
		sorted[i].Line = i
	}
	return sorted, sources
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// ending is what ended a lease that nobody released: the holder's death or
// the loss that it was told, after which the service may free it at any time.
func (l *lease) ending() *history.Op {
	if l.crash != nil {
		return l.crash
	}
	if l.relCall == nil {
		return l.lost
	}
	return nil
}

func (v *view) addNonlinearizable(f *findings, lock, store, key, by string, verdict linear.Verdict, from []source) {
	var w []*history.Op
	for _, i := range verdict.Witness {
		if i >= 0 && i < len(from) {
			w = append(w, from[i].inv, from[i].ret)
		}
	}
	proof := ops(w...)
	first, last := int64(0), v.end
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
