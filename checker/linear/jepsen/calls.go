package jepsen

import (
	"fmt"
	"strconv"

	"locktorture/checker/linear"
)

// A call is an invocation and how it ended.
type call struct {
	process int
	entry          // the invocation
	done    *entry // nil: it never returned
}

// calls pairs the entries of clients, in the order of their completions, then
// those that never returned. A process whose name is not a small number is given one.
func (h *History) calls(all []entry) (out []call, line int, err error) {
	open := map[int]*entry{}
	numbers := map[string]int{}
	for i := range all {
		e := &all[i]
		if !e.client {
			continue
		}
		p := h.number(e.process, numbers)
		was := open[p]
		switch {
		case e.kind == "invoke" && was != nil:
			return nil, e.line, fmt.Errorf("process %s invokes %s while its %s of line %d is under way", quote(e.process), e.f, was.f, was.line)
		case e.kind == "invoke":
			open[p] = e
		case was == nil && e.kind == "info" && e.process.kind == word:
			// a remark by something that is neither nemesis nor client
		case was == nil || was.f != e.f:
			return nil, e.line, fmt.Errorf("process %s completes a %s that it did not invoke", quote(e.process), e.f)
		default:
			delete(open, p)
			out = append(out, call{p, *was, e})
		}
	}
	for i := range all {
		if e := &all[i]; e.client && e.kind == "invoke" {
			if p := h.number(e.process, numbers); open[p] == e {
				out = append(out, call{p, *e, nil})
			}
		}
	}
	return out, 0, nil
}

// number returns the number of a process. A process that is named by a small number has that
// number; others get negative numbers.
func (h *History) number(process value, known map[string]int) int {
	if process.kind == number {
		if n, err := strconv.Atoi(integral(process.text)); err == nil && n >= 0 {
			return n
		}
	}
	name := string(rune(process.kind)) + process.written()
	n, ok := known[name]
	if !ok {
		h.processes = append(h.processes, process)
		n = -len(h.processes)
		known[name] = n
	}
	return n
}

// status returns how a call ended, and the answer that came with it.
func (c *call) status() (s linear.Status, answer value) {
	if c.done == nil {
		return linear.Pending, value{}
	}
	switch c.done.kind {
	case "ok":
		return linear.OK, c.done.value
	case "fail":
		return linear.Refused, c.done.value
	}
	return linear.Pending, c.done.value
}

// operation returns the call as an operation, without what depends on its function.
func (c *call) operation() (linear.Operation, Span) {
	o := linear.Operation{Process: c.process, Call: c.place, Line: c.line}
	at := Span{c.time, -1}
	if c.done != nil {
		at.Return = c.done.time
	}
	if o.Status, _ = c.status(); o.Status != linear.Pending {
		o.Return = c.done.place
	}
	return o, at
}
