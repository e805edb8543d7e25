package linear

import (
	"fmt"
	"slices"
)

// A departure is the latest call with which a party of a generation left it.
type departure struct {
	since int64
	by    int32 // the operation; -1: none
}

// A party is where a process is while its operations are read.
type party struct {
	entered int32 // 1 + the operation with which it entered; 0: it is not inside
	vague   bool  // where it is depends on an outcome that it did not learn
}

// An exit is an operation that left, and the operation with which its party had entered.
type exit struct{ left, entered int32 }

// A leaver finds out which party leaves which generation.
type leaver struct {
	*generations
	parties []party
	gone    []departure // by generation, from 1
	exits   []exit
}

// leaves decides whether each party that left did so after all parties of its generation had
// begun to leave. A party that died while it entered counts as having left.
func (g *generations) leaves() Verdict {
	if !slices.ContainsFunc(g.t.ops, func(o Operation) bool { return o.F == Leave && o.Status == OK }) {
		return valid(byDeadline)
	}
	l := leaver{g, make([]party, g.t.procs), make([]departure, g.count+1), nil}
	for k := range l.gone {
		l.gone[k] = departure{-1 << 63, -1}
	}
	for _, i := range g.t.order {
		if v := l.read(i, &g.t.ops[i], &l.parties[g.t.proc[i]]); v != nil {
			return *v
		}
	}
	for _, p := range l.parties {
		if i := p.entered - 1; i >= 0 && !(g.t.ops[i].Status == Pending && g.t.last(i)) {
			l.gone[g.of[i]] = departure{Never, i}
		}
	}
	for _, e := range l.exits {
		if v := l.early(e); v != nil {
			return *v
		}
	}
	return valid(byDeadline)
}

func (l *leaver) read(i int32, o *Operation, p *party) *Verdict {
	switch {
	case o.Status == Refused:
		return nil
	case p.vague && o.F != End, p.entered > 0 && o.F == Enter:
		v := unknown(byDeadline, "a process enters again, or continues after an operation of unknown outcome")
		return &v
	case o.F == Leave && o.Status == OK && p.entered == 0:
		v := invalid(byDeadline, "a process leaves a barrier although it is not inside: "+o.String(), int(i))
		return &v
	case o.F == Leave && o.Status == OK:
		l.exits = append(l.exits, exit{i, p.entered - 1})
	}
	if p.entered > 0 {
		if d := &l.gone[l.of[p.entered-1]]; o.Call > d.since {
			*d = departure{o.Call, i}
		}
	}
	p.entered, p.vague = 0, p.vague || o.Status == Pending
	if o.F == Enter {
		p.entered = i + 1
	}
	return nil
}

// early finds somebody who left while another party was surely inside.
func (l *leaver) early(e exit) *Verdict {
	o, d := &l.t.ops[e.left], l.gone[l.of[e.entered]]
	if o.Return >= d.since {
		return nil
	}
	v := invalid(byDeadline, fmt.Sprintf("%v, although process %d was surely inside until %s", *o, l.t.ops[d.by].Process, moment(d.since)),
		int(e.entered), int(e.left), int(d.by))
	return &v
}
