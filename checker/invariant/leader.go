package invariant

import (
	"fmt"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// Leader judges the workload "leader": whoever acts is the leader that was proclaimed last.
// The loss counts actions of leaders that had been succeeded. The note says for how long
// nobody led.
type Leader struct{}

var _ checker.Invariant = Leader{}

// A term is the latest term of a lock while its operations are replayed.
type term struct {
	began *history.Op // proclaimed
	acted int64       // ns; the last sign of this leader
}

// A leadership holds the terms while they are replayed.
type leadership struct {
	terms              map[string]*term // by lock
	told               map[int64]bool   // leases that were reported
	loss               checker.Loss
	gap, longest, span int64 // ns: without a leader in sum; longest time without one; observed in all
}

// Begin implements checker.Invariant.
func (Leader) Begin() checker.Replay {
	return &leadership{terms: map[string]*term{}, told: map[int64]bool{}, loss: checker.Loss{Unit: "actions"}}
}

// Apply implements checker.Replay.
func (r *leadership) Apply(op *history.Op) []checker.Anomaly {
	part := workKey(op)
	if op.F == history.Read || op.Lease == 0 || part != "leader" && part != "action" {
		return nil
	}
	now := r.terms[op.Lock]
	if part == "leader" {
		if now != nil {
			without := max(0, op.Time-now.acted)
			r.gap, r.longest, r.span = r.gap+without, max(r.longest, without), r.span+max(0, op.Time-now.began.Time)
		}
		r.terms[op.Lock] = &term{op, op.Time}
		return nil
	}
	r.loss.Of++
	if now == nil || now.began.Lease == op.Lease {
		if now != nil {
			now.acted = op.Time
		}
		return nil
	}
	r.loss.Lost++
	if r.told[op.Lease] {
		return nil
	}
	r.told[op.Lease] = true
	return []checker.Anomaly{twoLeaders(op, now.began)}
}

// Loss implements checker.Replay.
func (r *leadership) Loss() checker.Loss {
	loss := r.loss
	if r.span > 0 {
		loss.Note = fmt.Sprintf("there was no leader for %.1f %% of the time, and for at most %s at a time", 100*float64(r.gap)/float64(r.span), time.Duration(r.longest).Round(time.Millisecond))
	}
	return loss
}

func twoLeaders(op, began *history.Op) checker.Anomaly {
	return checker.Anomaly{
		Kind: "stale-leader", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(began, op),
		Sentence: fmt.Sprintf("%s acted as the leader at %s (apply %d, %q) although %s had become the leader at %s (apply %d)",
			checker.By(op), checker.At(op.Time), op.Apply, op.Value, checker.By(began), checker.At(began.Time), began.Apply),
	}
}
