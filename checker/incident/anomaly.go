package incident

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// Ops copies the entries that prove an anomaly, in the order of their times, each once. Nil entries
// are left out.
func Ops(list ...*history.Op) []history.Op {
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

// Plain returns the sentence without the faults.
func (a Anomaly) Plain() string { return strings.TrimSuffix(a.Sentence, a.faultClause()) }

// faultClause names the last faults of an anomaly. Some may have been healed before it was complete.
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
	clause := "; fault meanwhile: "
	switch {
	case a.Property == Liveness:
		clause = "; faults nearby in time: " // no fault was in place while the lock was waited for
	case len(faults) > 1:
		clause = "; faults meanwhile: "
	}
	if n := len(faults) - len(last); n > 0 {
		clause += fmt.Sprintf("%d earlier, ", n)
	}
	return clause + strings.Join(parts, ", ")
}

// since says when a fault struck. If its effect was seen only after the anomaly, it says when
// the fault began, if that was before the anomaly.
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

// An Anomaly is one observed violation with its witness.
type Anomaly struct {
	Kind     string       `json:"kind"` // double-grant, overrun, lost-update, …
	Property string       `json:"property"`
	Lock     string       `json:"lock,omitempty"`
	Store    string       `json:"store,omitempty"`
	Key      string       `json:"key,omitempty"`
	Time     int64        `json:"time"`               // ns, when it was complete
	Incident int          `json:"incident,omitempty"` // number of the incident that it is part of
	Sentence string       `json:"sentence"`           // one sentence with times that a reader can follow
	Ops      []history.Op `json:"ops"`                // the operations that prove it
	Faults   []history.Op `json:"faults,omitempty"`   // faults in place at some time between its beginning and Time
}

// ofWholeLock reports whether the anomaly is about the whole history of a lock.
func (a *Anomaly) ofWholeLock() bool { return a.Kind == "nonlinearizable" && a.Store == "" }
