package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// ConfigRollout judges the workload "config-rollout": a node applies
// version after version, each once, and the version that is rolled out grows
// by one. The loss is counted in steps.
type ConfigRollout struct{}

var _ checker.Invariant = ConfigRollout{}

// A rollout holds the versions while they are replayed.
type rollout struct {
	has  map[string]int         // key → version
	last map[string]*history.Op // key → its last write
	loss checker.Loss
}

// Begin implements checker.Invariant.
func (ConfigRollout) Begin() checker.Replay {
	return &rollout{map[string]int{}, map[string]*history.Op{}, checker.Loss{Unit: "steps"}}
}

// Loss implements checker.Replay.
func (r *rollout) Loss() checker.Loss { return r.loss }

// Apply implements checker.Replay.
func (r *rollout) Apply(op *history.Op) []checker.Anomaly {
	part, node, _ := strings.Cut(workKey(op), "/")
	if part != "version" && part != "node" {
		return nil
	}
	to, err := checker.Number(op.Value)
	if err != nil {
		return []checker.Anomaly{torn(op)}
	}
	from, known := r.has[op.Key]
	if op.F == history.Read || op.Lease == 0 {
		if !known || op.F != history.Read {
			r.has[op.Key] = to
		}
		return nil
	}
	before := r.last[op.Key]
	r.has[op.Key], r.last[op.Key] = to, op
	r.loss.Of++
	if !known || to == from+1 {
		return nil
	}
	r.loss.Lost++
	what := "the rollout"
	if part == "node" {
		what = "node " + node
	}
	return []checker.Anomaly{misstep("out-of-order", op, before, what, from, to)}
}

// misstep describes a number that did not grow by one.
func misstep(kind string, op, before *history.Op, what string, from, to int) checker.Anomaly {
	move := fmt.Sprintf("went back from version %d to %d", from, to)
	switch {
	case to == from:
		move = fmt.Sprintf("got version %d again", to)
	case to > from:
		move = fmt.Sprintf("skipped from version %d to %d", from, to)
	}
	sentence := fmt.Sprintf("%s %s: %s wrote this version at %s (apply %d)", what, move, checker.By(op), checker.At(op.Time), op.Apply)
	if before != nil {
		sentence += fmt.Sprintf(", after %s had written %s at %s (apply %d)", checker.By(before), before.Value, checker.At(before.Time), before.Apply)
	}
	return checker.Anomaly{Kind: kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, op), Sentence: sentence}
}
