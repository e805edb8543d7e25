package checker

import (
	"slices"

	"locktorture/history"
)

// witnesses is how many anomalies of a kind keep their witness; the others
// are counted.
const witnesses = 10

// findings collects anomalies.
type findings struct {
	s      *survey
	counts map[string]int // by kind
	kept   map[string][]Anomaly
}

func newFindings(s *survey) *findings {
	return &findings{s: s, counts: make(map[string]int), kept: make(map[string][]Anomaly)}
}

// add counts an anomaly and, as long as there are few of its kind, asks for
// its witness. from is when the story begins: faults that were in place
// between from and the anomaly's time are part of the witness.
func (f *findings) add(kind string, from int64, witness func() Anomaly) {
	f.counts[kind]++
	if len(f.kept[kind]) >= witnesses {
		return
	}
	f.kept[kind] = append(f.kept[kind], f.complete(kind, from, witness()))
}

func (f *findings) complete(kind string, from int64, a Anomaly) Anomaly {
	a.Kind, a.Property = kind, propertyOf(kind)
	a.Faults = f.s.during(from, a.Time)
	a.Sentence += faultClause(a.Faults)
	return a
}

// join adds what was found elsewhere, after what was found here.
func (f *findings) join(g *findings) {
	for kind, n := range g.counts {
		f.counts[kind] += n
		list := append(f.kept[kind], g.kept[kind]...)
		f.kept[kind] = list[:min(len(list), witnesses)]
	}
}

// has tells that an anomaly of the property was found.
func (f *findings) has(property string) bool { return f.total(property) > 0 }

func (f *findings) total(property string) int {
	n := 0
	for kind, count := range f.counts {
		if propertyOf(kind) == property {
			n += count
		}
	}
	return n
}

// property makes the entry of a result for a property that applies.
func (f *findings) property(name string) Property {
	p := Property{Name: name, Status: Kept, Total: f.total(name)}
	for _, k := range anomalyKinds() {
		if k.property == name {
			p.Anomalies = append(p.Anomalies, f.kept[k.kind]...)
		}
	}
	if p.Total > 0 {
		p.Status = Violated
	}
	return p
}

// ops copies the entries that prove an anomaly, in the order of their times,
// each once.
func ops(list ...*history.Op) []history.Op {
	list = slices.DeleteFunc(slices.Clone(list), func(op *history.Op) bool { return op == nil })
	slices.SortStableFunc(list, func(a, b *history.Op) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return 0
	})
	list = slices.Compact(list)
	out := make([]history.Op, len(list))
	for i, op := range list {
		out[i] = *op
	}
	return out
}
