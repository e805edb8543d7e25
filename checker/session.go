package checker

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/history"
)

// SessionInvariant judges the workload "session": each write of a document
// counts one of its fields up by one and leaves the others as they are. The
// loss is in changes of fields.
type SessionInvariant struct{}

var _ Invariant = SessionInvariant{}

// A document is the one of a lock while it is replayed.
type document struct {
	fields  map[string]int
	initial int
	last    map[string]*history.Op // field → the write that counted it up last
}

// A sessions is the documents while they are replayed.
type sessions struct {
	documents map[string]*document // by lock
	writes    int
}

// Begin implements Invariant.
func (SessionInvariant) Begin() Replay { return &sessions{documents: map[string]*document{}} }

// Apply implements Replay.
func (r *sessions) Apply(op *history.Op) []Anomaly {
	if workKey(op) != "document" {
		return nil
	}
	var fields map[string]int
	insane := func(n int) bool { return !Sane(n) }
	if err := json.Unmarshal([]byte(op.Value), &fields); err != nil || slices.ContainsFunc(slices.Collect(maps.Values(fields)), insane) {
		return []Anomaly{torn(op)}
	}
	d := r.documents[op.Lock]
	if d == nil || op.F != history.Read && op.Lease == 0 {
		r.documents[op.Lock] = &document{fields: fields, initial: total(fields), last: make(map[string]*history.Op)}
		return nil
	}
	if op.F == history.Read {
		return nil
	}
	r.writes++
	if a, bad := d.write(op, fields); bad {
		return []Anomaly{a}
	}
	return nil
}

// Loss implements Replay.
func (r *sessions) Loss() Loss {
	survived := 0
	for _, d := range r.documents {
		survived += total(d.fields) - d.initial
	}
	return Loss{Lost: max(0, r.writes-survived), Of: r.writes, Unit: "changes"}
}

// total is how often the fields of a document were changed.
func total(fields map[string]int) (n int) {
	for _, count := range fields {
		n += count
	}
	return n
}

// write compares a document with the one that it replaces: changes were lost
// if a field fell, or if none grew.
func (d *document) write(op *history.Op, fields map[string]int) (Anomaly, bool) {
	grown := false
	var tales []string
	var proof []*history.Op
	for _, field := range slices.Sorted(maps.Keys(d.fields)) {
		was, is := d.fields[field], fields[field]
		last := d.last[field]
		switch {
		case is > was:
			grown = true
			d.last[field] = op
		case is < was:
			tales = append(tales, fmt.Sprintf("field %q fell from %d to %d%s", field, was, is, lostOf(last)))
			proof = append(proof, last)
		}
	}
	if !grown && len(tales) == 0 {
		tales = append(tales, "no field changed, so that one change of two was lost")
	}
	d.fields = fields
	if len(tales) == 0 {
		return Anomaly{}, false
	}
	return Anomaly{
		Kind: "lost-field", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: Witness(append(proof, op)...),
		Sentence: fmt.Sprintf("%s wrote %s at %s (apply %d): %s", By(op), op.Key, At(op.Time), op.Apply, strings.Join(tales, "; ")),
	}, true
}

func lostOf(last *history.Op) string {
	if last == nil {
		return ""
	}
	return fmt.Sprintf(", the change of %s at %s (apply %d) was lost", By(last), At(last.Time), last.Apply)
}
