package checker

import (
	"fmt"
	"strings"

	"locktorture/history"
)

// IDAllocationInvariant judges the workload "id-allocation": no id is made
// twice, and nobody makes ids as a worker that another has become since. The
// loss is in ids made twice.
type IDAllocationInvariant struct{}

var _ Invariant = IDAllocationInvariant{}

// Check looks for ids made twice, and for workers with two holders.
func (IDAllocationInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	found, loss := once{
		part: "id", kind: "duplicate-id", unit: "ids",
		story: func(name, times, who string) string {
			return fmt.Sprintf("id %s was made %s, by %s", name, times, who)
		},
	}.check(applied)
	return append(found, sharedWorkers(applied)...), loss
}

// sharedWorkers finds ids that were made as a worker which another holder had taken over.
func sharedWorkers(applied []history.Op) []Anomaly {
	holder := make(map[string]*history.Op) // lock and worker → its last claim
	told := make(map[int64]bool)           // leases that were told of
	claims := make(map[int64]*history.Op)  // lease → its own claim
	var found []Anomaly
	for i := range applied {
		op := &applied[i]
		if op.F == history.Read || op.Lease == 0 {
			continue
		}
		part, name, _ := strings.Cut(workKey(op), "/")
		worker, _, _ := strings.Cut(name, "-")
		id := op.Lock + "\x00" + worker
		switch part {
		case "worker":
			holder[id], claims[op.Lease] = op, op
		case "id":
			now := holder[id]
			if now == nil || now.Lease == op.Lease || told[op.Lease] {
				continue
			}
			told[op.Lease] = true
			found = append(found, Anomaly{
				Kind: "shared-worker", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(claims[op.Lease], now, op),
				Sentence: fmt.Sprintf("%s made id %s as worker %s at %s (apply %d), which %s had become at %s (apply %d)",
					by(op), name, worker, at(op.Time), op.Apply, by(now), at(now.Time), now.Apply),
			})
		}
	}
	return found
}
