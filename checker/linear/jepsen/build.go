package jepsen

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"locktorture/checker/linear"
)

// build makes the objects from the entries.
func (h *History) build(all []entry, o Options) (line int, err error) {
	calls, line, err := h.calls(all)
	if err != nil {
		return line, err
	}
	keys, named, line, err := keyed(calls, o.Keys)
	if err != nil {
		return line, err
	}
	objects := map[string]*building{}
	for i := range calls {
		c := &calls[i]
		b := objects[keys[i]]
		if b == nil {
			b = &building{Object: Object{Key: keys[i]}, named: named, strict: o.FailedCAS, values: map[string]use{}}
			objects[keys[i]] = b
		}
		kept, err := b.add(c)
		if err != nil {
			return c.line, fmt.Errorf("%s: %w", c.f, err)
		}
		if !kept && c.done != nil && c.done.kind == "fail" {
			h.Silent++
		}
	}
	for _, b := range objects {
		if b.zero > 0 && b.tokens {
			return b.zero, errors.New("a token is 0, but others are not: tokens begin at 1")
		}
		h.Objects = append(h.Objects, b.Object)
	}
	slices.SortFunc(h.Objects, func(a, b Object) int { return cmp.Compare(a.Key, b.Key) })
	return 0, nil
}

// A building is an object that is still being built.
type building struct {
	Object
	named, strict bool
	values        map[string]use // by the text of a value: its first use
	tokens        bool           // some lease has a token
	zero          int            // line of a lease with the token 0; 0: none
}

// A use is the kind of a value, and the line where it was used.
type use struct {
	kind kind
	line int
}

// add takes one call, unless it says nothing about the object.
func (b *building) add(c *call) (kept bool, err error) {
	o, at := c.operation()
	if locking[c.f] {
		kept, err = b.lockCall(c, &o)
	} else {
		kept, err = b.objectCall(c, &o)
	}
	if err != nil || !kept {
		return false, err
	}
	b.Operations = append(b.Operations, o)
	b.Times = append(b.Times, at)
	return true, nil
}

// String returns when an operation was, in seconds, for display after the operation.
func (s Span) String() string {
	at := func(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }
	switch {
	case s.Call < 0:
		return ""
	case s.Return < 0:
		return " (from " + at(s.Call) + ")"
	}
	return " (" + at(s.Call) + " to " + at(s.Return) + ")"
}

// ByTime returns the operations with their times as stamps, for a model in
// which time counts.
func (o *Object) ByTime() ([]linear.Operation, error) {
	out := slices.Clone(o.Operations)
	type stamp struct{ place, time int64 }
	var stamps []stamp
	for i := range out {
		p, at := &out[i], o.Times[i]
		stamps = append(stamps, stamp{p.Call, at.Call})
		if p.Status != linear.Pending {
			stamps = append(stamps, stamp{p.Return, at.Return})
		}
		p.Call, p.Return = at.Call, at.Return
	}
	slices.SortFunc(stamps, func(a, b stamp) int { return cmp.Compare(a.place, b.place) })
	last := int64(0)
	for _, s := range stamps {
		switch {
		case s.time < 0:
			return nil, fmt.Errorf("entry %d has no time", s.place)
		case s.time < last:
			return nil, fmt.Errorf("time goes backwards at entry %d", s.place)
		}
		last = s.time
	}
	return out, nil
}
