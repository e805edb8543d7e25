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

// Check looks for messages that were handled again or out of order.
func (QueueConsumerInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	found, loss := once{
		part: "handled", kind: "duplicate-delivery", unit: "messages",
		story: func(name, times, who string) string {
			return fmt.Sprintf("message %s was handled %s, by %s", name, times, who)
		},
	}.check(applied)
	return append(found, overtaken(applied)...), loss
}

// overtaken finds messages that were handled when a later one had been handled already.
func overtaken(applied []history.Op) []Anomaly {
	newest := make(map[string]int)
	latest := make(map[string]*history.Op)
	var found []Anomaly
	for i := range applied {
		op := &applied[i]
		name, ok := strings.CutPrefix(workKey(op), "handled/")
		if !ok || op.F == history.Read || op.Lease == 0 {
			continue
		}
		n, err := number(name)
		switch {
		case err != nil:
			found = append(found, torn(op))
		case n < newest[op.Lock]:
			after := latest[op.Lock]
			found = append(found, Anomaly{
				Kind: "out-of-order", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(after, op),
				Sentence: fmt.Sprintf("message %d was handled by %s at %s (apply %d), after message %d by %s at %s (apply %d)",
					n, by(op), at(op.Time), op.Apply, newest[op.Lock], by(after), at(after.Time), after.Apply),
			})
		default:
			newest[op.Lock], latest[op.Lock] = n, op
		}
	}
	return found
}
