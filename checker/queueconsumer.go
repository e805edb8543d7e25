package checker

import (
	"fmt"
	"strings"

	"locktorture/history"
)

// QueueConsumerInvariant judges the workload "queue-consumer": each message is
// handled once, and none before the one in front of it. The loss is in
// messages handled again.
type QueueConsumerInvariant struct{}

var _ Invariant = QueueConsumerInvariant{}

// Begin implements Invariant.
func (QueueConsumerInvariant) Begin() Replay {
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

// Apply implements Replay.
func (r *consumed) Apply(op *history.Op) []Anomaly {
	return append(r.onceReplay.Apply(op), r.overtaken(op)...)
}

// overtaken finds a message that was handled when a later one had been handled already.
func (r *consumed) overtaken(op *history.Op) []Anomaly {
	name, ok := strings.CutPrefix(workKey(op), "handled/")
	if !ok || op.F == history.Read || op.Lease == 0 {
		return nil
	}
	n, err := Number(name)
	switch {
	case err != nil:
		return []Anomaly{torn(op)}
	case n >= r.newest[op.Lock]:
		r.newest[op.Lock], r.latest[op.Lock] = n, op
		return nil
	}
	after := r.latest[op.Lock]
	return []Anomaly{{
		Kind: "out-of-order", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: Witness(after, op),
		Sentence: fmt.Sprintf("message %d was handled by %s at %s (apply %d), after message %d by %s at %s (apply %d)",
			n, By(op), At(op.Time), op.Apply, r.newest[op.Lock], By(after), At(after.Time), after.Apply),
	}}
}
