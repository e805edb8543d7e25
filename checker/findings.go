package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// witnesses is how many anomalies of a kind a result shows, each of another incident; the
// others are counted. candidates is how many are kept for it beyond the first.
const (
	witnesses  = 10
	candidates = 1000
)

// findings collects anomalies.
type findings struct {
	book   *book
	counts map[string]int // by kind
	kept   map[string][]Anomaly
	in     map[string][]*chain // of each that is kept
}

func newFindings(b *book) *findings {
	return &findings{book: b, counts: map[string]int{}, kept: map[string][]Anomaly{}, in: map[string][]*chain{}}
}

// add counts an anomaly, puts it into its incident, and keeps it as a witness if it is one of
// the first of its kind, in all or in what is known of its incident so far. from is when the
// story begins: faults that were in place between from and the anomaly's time are part of the
// witness.
func (f *findings) add(kind string, from int64, witness func() Anomaly) *chain {
	a := witness()
	a.Kind, a.Property = kind, propertyOf(kind)
	return f.put(a, from, 1)
}

// put adds n anomalies, of which a is one.
func (f *findings) put(a Anomaly, from int64, n int) *chain {
	c := f.book.chains.add(&a, from, n)
	f.counts[a.Kind] += n
	if have := len(f.kept[a.Kind]); have < witnesses || !c.witnessed[a.Kind] && have < candidates {
		c.witnessed[a.Kind] = true
		f.kept[a.Kind] = append(f.kept[a.Kind], f.complete(a, from))
		f.in[a.Kind] = append(f.in[a.Kind], c)
	} else if !c.witnessed[a.Kind] {
		c.witnessed[a.Kind] = true // enough: what it is put down to is known all the same
		c.blame(f.book.blamedFault(&a, min(from, a.Time)), a.Time)
	}
	return c
}

// complete names the faults that were in place.
func (f *findings) complete(a Anomaly, from int64) Anomaly {
	a.Faults = f.book.run.During(from, a.Time)
	a.Sentence += a.faultClause()
	return a
}

// ops copies the entries that prove an anomaly, in the order of their times,
// each once.
func ops(list ...*history.Op) []history.Op {
	list = slices.DeleteFunc(slices.Clone(list), func(op *history.Op) bool { return op == nil })
	slices.SortStableFunc(list, func(a, b *history.Op) int { return cmp.Compare(a.Time, b.Time) })
	list = slices.Compact(list)
	out := make([]history.Op, len(list))
	for i, op := range list {
		out[i] = *op
	}
	return out
}

// shown is how many faults a sentence names.
const shown = 2

// Plain is the sentence without the faults that were in place.
func (a Anomaly) Plain() string { return strings.TrimSuffix(a.Sentence, a.faultClause()) }

// faultClause names the last faults before an anomaly.
func (a Anomaly) faultClause() string {
	faults := a.Faults
	if len(faults) == 0 {
		return ""
	}
	last := faults[max(0, len(faults)-shown):]
	var parts []string
	for _, f := range last {
		s := f.Kind()
		if f.Node != "" {
			s += " of " + figures.Names(strings.Split(f.Node, ","))
		}
		s += " " + since(&f, a.Time)
		if seen := f.Seen(); seen != "" {
			s += " (" + seen + ")"
		}
		parts = append(parts, s)
	}
	clause := "; fault in place: "
	switch {
	case a.Property == Liveness:
		clause = "; faults around it: " // but not while it was waited for
	case len(faults) > 1:
		clause = "; faults in place: "
	}
	if n := len(faults) - len(last); n > 0 {
		clause += fmt.Sprintf("%d earlier, ", n)
	}
	return clause + strings.Join(parts, ", ")
}

// since says when a fault struck. One whose effect was seen after the anomaly had begun before it.
func since(f *history.Op, anomaly int64) string {
	began, known := f.Began()
	switch {
	case f.Time <= anomaly:
		return "at " + timeline.At(f.Time)
	case known && began <= anomaly:
		return "from " + timeline.At(began)
	}
	return "seen at " + timeline.At(f.Time)
}
