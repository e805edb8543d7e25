package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// IDAllocation judges the workload "id-allocation": no id is made
// twice, and nobody makes ids as a worker that another client has become since. The loss
// counts ids that were made twice.
type IDAllocation struct{}

var _ checker.Invariant = IDAllocation{}

// Begin implements checker.Invariant.
func (IDAllocation) Begin() checker.Replay {
	return &allocation{
		onceReplay: once{
			part: "id", kind: "duplicate-id", unit: "ids",
			story: func(name, times, who string) string {
				return fmt.Sprintf("id %s was made %s, by %s", name, times, who)
			},
		}.begin(),
		holder: map[string]*history.Op{}, told: map[int64]bool{}, claims: map[int64]*history.Op{},
	}
}

type allocation struct {
	*onceReplay
	holder map[string]*history.Op // lock and worker → its last claim
	told   map[int64]bool         // leases that were reported
	claims map[int64]*history.Op  // lease → its own claim
}

// Apply implements checker.Replay.
func (r *allocation) Apply(op *history.Op) []checker.Anomaly {
	return append(r.onceReplay.Apply(op), r.shared(op)...)
}

// Forget implements checker.Forgetful.
func (r *allocation) Forget(lease int64) { delete(r.claims, lease) }

// shared finds an id that was made as a worker which another holder had taken over.
func (r *allocation) shared(op *history.Op) []checker.Anomaly {
	if op.F == history.Read || op.Lease == 0 {
		return nil
	}
	part, name, _ := strings.Cut(workKey(op), "/")
	worker, _, _ := strings.Cut(name, "-")
	id := op.Lock + "\x00" + worker
	if part == "worker" {
		r.holder[id], r.claims[op.Lease] = op, op
	}
	now := r.holder[id]
	if part != "id" || now == nil || now.Lease == op.Lease || r.told[op.Lease] {
		return nil
	}
	r.told[op.Lease] = true
	return []checker.Anomaly{{
		Kind: "shared-worker", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(r.claims[op.Lease], now, op),
		Sentence: fmt.Sprintf("%s made id %s as worker %s at %s (apply %d), but %s had become this worker at %s (apply %d)",
			checker.By(op), name, worker, checker.At(op.Time), op.Apply, checker.By(now), checker.At(now.Time), now.Apply),
	}}
}
