package checker

import (
	"fmt"
	"strings"

	"locktorture/history"
)

// ConfigRolloutInvariant judges the workload "config-rollout": a node applies
// version after version, each once, and the version that is rolled out grows
// by one. The loss is in steps.
type ConfigRolloutInvariant struct{}

var _ Invariant = ConfigRolloutInvariant{}

// Check replays the versions in the order in which the store applied them.
func (ConfigRolloutInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	has := make(map[string]int)          // key → version
	last := make(map[string]*history.Op) // key → its last write
	loss := Loss{Unit: "steps"}
	var found []Anomaly
	for i := range applied {
		op := &applied[i]
		part, node, _ := strings.Cut(workKey(op), "/")
		if part != "version" && part != "node" {
			continue
		}
		to, err := number(op.Value)
		if err != nil {
			found = append(found, torn(op))
			continue
		}
		from, known := has[op.Key]
		if op.F == history.Read || op.Lease == 0 {
			if !known || op.F != history.Read {
				has[op.Key] = to
			}
			continue
		}
		before := last[op.Key]
		has[op.Key], last[op.Key] = to, op
		loss.Of++
		if !known || to == from+1 {
			continue
		}
		loss.Lost++
		what := "the rollout"
		if part == "node" {
			what = "node " + node
		}
		found = append(found, misstep("out-of-order", op, before, what, from, to))
	}
	return found, loss
}

// misstep tells of a number that did not grow by one.
func misstep(kind string, op, before *history.Op, what string, from, to int) Anomaly {
	move := fmt.Sprintf("went back from version %d to %d", from, to)
	switch {
	case to == from:
		move = fmt.Sprintf("was given version %d again", to)
	case to > from:
		move = fmt.Sprintf("skipped from version %d to %d", from, to)
	}
	sentence := fmt.Sprintf("%s %s: %s wrote it at %s (apply %d)", what, move, by(op), at(op.Time), op.Apply)
	if before != nil {
		sentence += fmt.Sprintf(", after %s had written %s at %s (apply %d)", by(before), before.Value, at(before.Time), before.Apply)
	}
	return Anomaly{Kind: kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(before, op), Sentence: sentence}
}
