package jepsen

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locktorture/checker/linear"
)

// A builder pairs entries.
type builder struct {
	out   History
	open  map[int]entry // by process
	dead  map[int]bool  // processes whose last outcome is unknown
	order int64         // stamps where lines have no time
	last  int64
}

func newBuilder() *builder {
	return &builder{out: History{Functions: map[string]int{}}, open: map[int]entry{}, dead: map[int]bool{}}
}

func (b *builder) add(e entry) error {
	if !e.client {
		return nil
	}
	b.order++
	switch {
	case b.order == 1:
		b.out.Timed = e.timed
	case b.out.Timed != e.timed:
		return errors.New("some lines have a time and some have none")
	}
	if !e.timed {
		e.time = b.order
	}
	if e.time < b.last {
		return errors.New("time goes backwards")
	}
	b.last = e.time
	was, busy := b.open[e.process]
	if e.kind == "invoke" {
		switch {
		case busy:
			return fmt.Errorf("process %d invokes %s while its %s of line %d is under way", e.process, e.f, was.f, was.line)
		case b.dead[e.process]:
			return fmt.Errorf("process %d goes on after an unknown outcome", e.process)
		}
		b.open[e.process] = e
		b.out.Functions[e.f]++
		return nil
	}
	if !busy || was.f != e.f {
		return fmt.Errorf("process %d completes a %s that it did not invoke", e.process, e.f)
	}
	delete(b.open, e.process)
	b.dead[e.process] = e.kind == "info"
	return b.pair(was, e)
}

// pair makes an operation of a call and its completion.
func (b *builder) pair(call, done entry) error {
	o := linear.Operation{Process: call.process, Call: call.time, Return: done.time, Line: call.line}
	switch done.kind {
	case "ok":
		o.Status = linear.OK
	case "fail":
		o.Status = linear.Refused
	}
	keep, err := describe(&o, call, done)
	if err != nil {
		return fmt.Errorf("%s of line %d: %w", call.f, call.line, err)
	}
	if keep {
		b.out.Operations = append(b.out.Operations, o)
		b.out.Lines = append(b.out.Lines, call.line)
	}
	return nil
}

// describe fills in what was asked and answered. It returns false for an
// operation that certainly did not happen and says nothing about the object.
//
// A failed acquire counts as refused, and a failed CAS that names no error as
// a mismatch. Any other failure only says that nothing was done: a release
// that fails is mostly the guard of a client.
func describe(o *linear.Operation, call, done entry) (keep bool, err error) {
	keep = o.Status != linear.Refused
	switch call.f {
	case "acquire", "lock", "try", "try-acquire":
		o.F, keep = linear.Acquire, true
		if o.Status == linear.OK {
			o.Token = token(done.value)
		}
	case "release", "unlock":
		o.F, o.Token = linear.Release, token(call.value)
	case "renew":
		o.F = linear.Renew
	case "read", "get":
		o.F, o.Value = linear.Read, done.value.flat()
		o.Number, _ = strconv.ParseInt(o.Value, 10, 64)
	case "write", "put":
		o.F, o.Value = linear.Write, call.value.flat()
	case "append":
		o.F, o.Value = linear.Append, call.value.flat()
	case "cas":
		o.F, keep = linear.CAS, keep || !done.failed
		if len(call.value.items) != 2 {
			return false, errors.New("the value of a cas is [from to]")
		}
		o.Expect, o.Value = call.value.items[0].flat(), call.value.items[1].flat()
	case "add":
		o.F = linear.Add
		o.Delta, err = strconv.ParseInt(call.value.flat(), 10, 64)
	case "fetch-add", "faa":
		o.F = linear.FetchAdd
		if o.Delta, err = strconv.ParseInt(call.value.flat(), 10, 64); err == nil && o.Status == linear.OK {
			o.Number, err = strconv.ParseInt(done.value.flat(), 10, 64)
		}
	case "sell":
		o.F, keep = linear.Sell, true
	default:
		return false, errors.New("unknown f")
	}
	if o.Status == linear.Pending && o.F == linear.Read {
		keep = false
	}
	return keep, err
}

// token is a fencing token: the value itself, or the value of :token in it.
func token(v value) uint64 {
	if v.kind == other {
		for i := 0; i+1 < len(v.items); i += 2 {
			if v.items[i].text == ":token" {
				v = v.items[i+1]
				break
			}
		}
	}
	n, err := strconv.ParseUint(v.text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// flat writes a value as a string: a list as its items with commas, nil as "".
func (v value) flat() string {
	if v.kind != list {
		return v.text
	}
	items := make([]string, len(v.items))
	for i := range v.items {
		items[i] = v.items[i].flat()
	}
	return strings.Join(items, ",")
}

// history ends the file.
func (b *builder) history() (*History, error) {
	var rest []entry
	for _, e := range b.open {
		rest = append(rest, e)
	}
	slices.SortFunc(rest, func(a, b entry) int { return a.line - b.line })
	for _, e := range rest {
		if err := b.pair(e, entry{kind: "info"}); err != nil {
			return nil, fmt.Errorf("jepsen history: line %d: %w", e.line, err)
		}
	}
	return &b.out, nil
}
