package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/internal/figures"
)

// witnesses is how many anomalies of a kind a result shows, each of another incident; the
// others are counted. candidates is how many are kept for it beyond the first.
const (
	witnesses  = 10
	candidates = 1000
)

// findings collects anomalies.
type findings struct {
	s      *survey
	counts map[string]int // by kind
	kept   map[string][]Anomaly
	in     map[string][]*chain // of each that is kept
}

func newFindings(s *survey) *findings {
	return &findings{s: s, counts: map[string]int{}, kept: map[string][]Anomaly{}, in: map[string][]*chain{}}
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
	c := f.s.chains.add(&a, from, n)
	f.counts[a.Kind] += n
	if have := len(f.kept[a.Kind]); have < witnesses || !c.witnessed[a.Kind] && have < candidates {
		c.witnessed[a.Kind] = true
		f.kept[a.Kind] = append(f.kept[a.Kind], f.complete(a, from))
		f.in[a.Kind] = append(f.in[a.Kind], c)
	} else if !c.witnessed[a.Kind] {
		c.witnessed[a.Kind] = true // enough: what it is put down to is known all the same
		c.blame(f.s.blamedFault(&a, min(from, a.Time)), a.Time)
	}
	return c
}

// complete names the faults that were in place.
func (f *findings) complete(a Anomaly, from int64) Anomaly {
	a.Faults = f.s.during(from, a.Time)
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

// at names a moment of the run: "3.214 s".
func at(t int64) string {
	switch t {
	case history.Never:
		return "ever"
	case math.MinInt64:
		return "never"
	}
	return fmt.Sprintf("%.3f s", float64(t)/1e9)
}

// dur writes a length of time: "1.2 s".
func dur(d int64) string { return figures.Span(d) }

// who names a client, or the process where no client is known.
func who(client int) string {
	if client < 0 {
		return fmt.Sprintf("process %d", -client-1)
	}
	return fmt.Sprintf("c%d", client)
}

// holds describes how long the promise of a lease lasted.
func (l *lease) holds(o Options) string {
	declared := ""
	if o.Bounded && len(l.answers) > 0 {
		declared = l.declared()
		if l.end != l.told {
			return "was " + declared
		}
		declared += " and "
	}
	switch {
	case l.crash != nil && l.told == l.killed:
		return "was " + declared + "held until its client was killed, at " + at(l.end) + " at the earliest"
	case l.relCall != nil && l.told == l.relCall.Time:
		return "was " + declared + "not released before " + at(l.end)
	case l.told < math.MaxInt64:
		return "was " + declared + "not told its loss before " + at(l.end)
	}
	return "was " + declared + "never released"
}

// declared is the validity that the lock itself told.
func (l *lease) declared() string {
	if until := l.validity(); until != history.Never {
		return "declared valid until at least " + at(until)
	}
	return "declared valid without end"
}

// name is "lease 41", with the token if it has one.
func (l *lease) name() string {
	if l.token != 0 {
		return fmt.Sprintf("lease %d with token %d", l.n, l.token)
	}
	return fmt.Sprintf("lease %d", l.n)
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
		return "at " + at(f.Time)
	case known && began <= anomaly:
		return "from " + at(began)
	}
	return "seen at " + at(f.Time)
}

// deed describes a store operation: `wrote L/counter = "7"`.
func (a *access) deed() string {
	op := a.op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("wrote %s = %q", op.Key, op.Value)
}

// by names who did a store operation: "c2 (lease 41)".
func by(op *history.Op) string {
	switch {
	case op.Lease == 0 && op.Client == 0:
		return "the initial state"
	case op.Lease == 0:
		return fmt.Sprintf("c%d (without the lock)", op.Client)
	}
	if op.Client == 0 {
		return fmt.Sprintf("process %d (lease %d)", op.Process, op.Lease)
	}
	return fmt.Sprintf("c%d (lease %d)", op.Client, op.Lease)
}
