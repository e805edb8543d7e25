package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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

// span of time: "1.204s".
func dur(d int64) string {
	u := time.Millisecond
	if d < int64(10*time.Millisecond) {
		u = time.Microsecond
	}
	return time.Duration(d).Round(u).String()
}

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

// faultClause names the last faults before an anomaly.
func faultClause(faults []history.Op) string {
	if len(faults) == 0 {
		return ""
	}
	last := faults[max(0, len(faults)-shown):]
	var parts []string
	for _, f := range last {
		s := f.Kind()
		if f.Node != "" {
			s += " of " + f.Node
		}
		s += " at " + at(f.Time)
		if seen := f.Seen(); seen != "" {
			s += " (" + seen + ")"
		}
		parts = append(parts, s)
	}
	clause := "; fault in place: "
	if len(faults) > 1 {
		clause = "; faults in place: "
	}
	if n := len(faults) - len(last); n > 0 {
		clause += fmt.Sprintf("%d earlier, ", n)
	}
	return clause + strings.Join(parts, ", ")
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
