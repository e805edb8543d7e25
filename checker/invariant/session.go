package invariant

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Session judges the workload "session": each write of a document
// counts one of its fields up by one and leaves the others as they are. The loss is counted in
// changes of fields.
type Session struct{}

var _ checker.Invariant = Session{}

// A document is the document of a lock while it is replayed.
type document struct {
	fields  map[string]int
	initial int
	last    map[string]*history.Op // field → the write that counted it up last
}

// A sessions holds the documents while they are replayed.
type sessions struct {
	documents map[string]*document // by lock
	writes    int
}

// Begin implements checker.Invariant.
func (Session) Begin() checker.Replay { return &sessions{documents: map[string]*document{}} }

// Apply implements checker.Replay.
func (r *sessions) Apply(op *history.Op) []checker.Anomaly {
	if workKey(op) != "document" {
		return nil
	}
	var fields map[string]int
	insane := func(n int) bool { return !checker.Sane(n) }
	if err := json.Unmarshal([]byte(op.Value), &fields); err != nil || slices.ContainsFunc(slices.Collect(maps.Values(fields)), insane) {
		return []checker.Anomaly{torn(op)}
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
		return []checker.Anomaly{a}
	}
	return nil
}

// Loss implements checker.Replay.
func (r *sessions) Loss() checker.Loss {
	survived := 0
	for _, d := range r.documents {
		survived += total(d.fields) - d.initial
	}
	return checker.Loss{Lost: max(0, r.writes-survived), Of: r.writes, Unit: "changes"}
}

// total returns how often the fields of a document were changed.
func total(fields map[string]int) (n int) {
	for _, count := range fields {
		n += count
	}
	return n
}

// write compares a document with the one that it replaces: changes were lost
// if a field fell, or if none grew.
func (d *document) write(op *history.Op, fields map[string]int) (checker.Anomaly, bool) {
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
		tales = append(tales, "no field changed, so one of two changes was lost")
	}
	d.fields = fields
	if len(tales) == 0 {
		return checker.Anomaly{}, false
	}
	return checker.Anomaly{
		Kind: "lost-field", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(append(proof, op)...),
		Sentence: fmt.Sprintf("%s wrote %s at %s (apply %d): %s", checker.By(op), op.Key, checker.At(op.Time), op.Apply, strings.Join(tales, "; ")),
	}, true
}

func lostOf(last *history.Op) string {
	if last == nil {
		return ""
	}
	return fmt.Sprintf(", so the change of %s at %s (apply %d) was lost", checker.By(last), checker.At(last.Time), last.Apply)
}
