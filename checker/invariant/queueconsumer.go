package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// QueueConsumer judges the workload "queue-consumer": each message is
// handled once, and none before the one in front of it. The loss counts messages that were
// handled again.
type QueueConsumer struct{}

var _ checker.Invariant = QueueConsumer{}

// Begin implements checker.Invariant.
func (QueueConsumer) Begin() checker.Replay {
	return &consumed{once{
		part: "handled", kind: "duplicate-delivery", unit: "messages",
		story: func(name, times, who string) string {
			return fmt.Sprintf("message %s was handled %s, by %s", name, times, who)
		},
	}.begin(), map[string]int{}, map[string]*history.Op{}}
}

type consumed struct {
	*onceReplay
	newest map[string]int // by lock
	latest map[string]*history.Op
}

// Apply implements checker.Replay.
func (r *consumed) Apply(op *history.Op) []checker.Anomaly {
	return append(r.onceReplay.Apply(op), r.overtaken(op)...)
}

// overtaken finds a message that was handled when a later one had been handled already.
func (r *consumed) overtaken(op *history.Op) []checker.Anomaly {
	name, ok := strings.CutPrefix(workKey(op), "handled/")
	if !ok || op.F == history.Read || op.Lease == 0 {
		return nil
	}
	n, err := checker.Number(name)
	switch {
	case err != nil:
		return []checker.Anomaly{torn(op)}
	case n >= r.newest[op.Lock]:
		r.newest[op.Lock], r.latest[op.Lock] = n, op
		return nil
	}
	after := r.latest[op.Lock]
	return []checker.Anomaly{{
		Kind: "out-of-order", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(after, op),
		Sentence: fmt.Sprintf("message %d was handled by %s at %s (apply %d), after message %d by %s at %s (apply %d)",
			n, checker.By(op), checker.At(op.Time), op.Apply, r.newest[op.Lock], checker.By(after), checker.At(after.Time), after.Apply),
	}}
}
