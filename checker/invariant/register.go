package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/checker/linear"
	"locktorture/history"
)

// Register judges the workload "register": a section reads only what it has read or written
// itself before, whoever else may want to change the value. The loss counts sections that saw
// another client's value.
type Register struct{}

var _ checker.Invariant = Register{}

// A registers holds the sections while they are replayed.
type registers struct {
	first map[int64]*history.Op  // lease → its first operation
	last  map[string]*history.Op // key → its last write
	loss  checker.Loss
}

// Begin implements checker.Invariant.
func (Register) Begin() checker.Replay {
	return &registers{map[int64]*history.Op{}, map[string]*history.Op{}, checker.Loss{Unit: "sections"}}
}

// Loss implements checker.Replay.
func (r *registers) Loss() checker.Loss { return r.loss }

// Forget implements checker.Forgetful.
func (r *registers) Forget(lease int64) { delete(r.first, lease) }

// Apply implements checker.Replay: it compares the operations of each section.
func (r *registers) Apply(op *history.Op) []checker.Anomaly {
	if workKey(op) != "register" {
		return nil
	}
	if op.F != history.Read {
		r.last[op.Key] = op
	}
	if op.Lease == 0 {
		return nil
	}
	seen := r.first[op.Lease]
	if seen == nil {
		r.first[op.Lease] = op
		return nil
	}
	if op.F != history.Read {
		return nil
	}
	r.loss.Of++
	if op.Value == seen.Value {
		return nil
	}
	r.loss.Lost++
	return []checker.Anomaly{foreignValue(op, seen, r.last[op.Key])}
}

func foreignValue(op, seen, last *history.Op) checker.Anomaly {
	sentence := fmt.Sprintf("%s had %s %s at %s (apply %d) and read %s at %s (apply %d)", checker.By(op),
		map[bool]string{true: "read", false: "written"}[seen.F == history.Read], seen.Value, checker.At(seen.Time), seen.Apply, op.Value, checker.At(op.Time), op.Apply)
	if last != nil {
		sentence += fmt.Sprintf(", which %s had written at %s (apply %d)", checker.By(last), checker.At(last.Time), last.Apply)
	}
	return checker.Anomaly{Kind: "foreign-value", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(seen, last, op), Sentence: sentence}
}

// SectionModel implements checker.Sectioned. A section of a register reads one value, or
// writes one and reads it back.
func (Register) SectionModel() string { return "register" }

// About implements checker.Sectioned.
func (Register) About(key string) bool { return strings.HasSuffix(key, "/register") }

// Atom implements checker.Sectioned.
func (Register) Atom(s checker.Section) (op linear.Operation, why string) {
	sees := s.Write
	if !s.Wrote && len(s.Reads) > 0 {
		sees = s.Reads[0]
	}
	for _, r := range s.Reads {
		if r != sees {
			return op, fmt.Sprintf("%s saw %q and %q in one section", client(&history.Op{Process: s.Process, Client: max(0, s.Client)}), sees, r)
		}
	}
	switch {
	case s.Wrote:
		op.F, op.Value = linear.Write, s.Write
	case len(s.Reads) > 0:
		op.F, op.Value = linear.Read, sees
	}
	return op, ""
}
