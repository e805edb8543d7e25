package checker

import (
	"fmt"

	"locktorture/history"
)

// RegisterInvariant judges the workload "register": a section reads what it
// has read or written itself before, whoever else may want the value. The
// loss is in sections that saw another's value.
type RegisterInvariant struct{}

var _ Invariant = RegisterInvariant{}

// Check compares the operations of each section on its register.
func (RegisterInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	first := make(map[int64]*history.Op) // lease → its first operation
	last := make(map[string]*history.Op) // key → its last write
	loss := Loss{Unit: "sections"}
	var found []Anomaly
	for i := range applied {
		op := &applied[i]
		if workKey(op) != "register" {
			continue
		}
		if op.F != history.Read {
			last[op.Key] = op
		}
		seen := first[op.Lease]
		switch {
		case op.Lease == 0:
		case seen == nil:
			first[op.Lease] = op
		case op.F == history.Read:
			loss.Of++
			if op.Value == seen.Value {
				continue
			}
			loss.Lost++
			found = append(found, foreignValue(op, seen, last[op.Key]))
		}
	}
	return found, loss
}

func foreignValue(op, seen, last *history.Op) Anomaly {
	sentence := fmt.Sprintf("%s had %s %s at %s (apply %d) and read %s at %s (apply %d)", by(op),
		map[bool]string{true: "read", false: "written"}[seen.F == history.Read], seen.Value, at(seen.Time), seen.Apply, op.Value, at(op.Time), op.Apply)
	if last != nil {
		sentence += fmt.Sprintf(", which %s had written at %s (apply %d)", by(last), at(last.Time), last.Apply)
	}
	return Anomaly{Kind: "foreign-value", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(seen, last, op), Sentence: sentence}
}
