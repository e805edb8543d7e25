package checker

import (
	"fmt"
	"time"

	"locktorture/history"
)

// LeaderInvariant judges the workload "leader": whoever acts is the one that
// was proclaimed last. The loss is in actions of leaders that had been
// succeeded; the note says for how long nobody led.
type LeaderInvariant struct{}

var _ Invariant = LeaderInvariant{}

// A term is the last one of a lock while it is replayed.
type term struct {
	began *history.Op // proclaimed
	acted int64       // ns; last sign of it
}

// A leadership is the terms while they are replayed.
type leadership struct {
	terms              map[string]*term // by lock
	told               map[int64]bool   // leases that were told of
	loss               Loss
	gap, longest, span int64 // ns without a leader, at most, of
}

// Begin implements Invariant.
func (LeaderInvariant) Begin() Replay {
	return &leadership{terms: map[string]*term{}, told: map[int64]bool{}, loss: Loss{Unit: "actions"}}
}

// Apply implements Replay.
func (r *leadership) Apply(op *history.Op) []Anomaly {
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
	return []Anomaly{twoLeaders(op, now.began)}
}

// Loss implements Replay.
func (r *leadership) Loss() Loss {
	loss := r.loss
	if r.span > 0 {
		loss.Note = fmt.Sprintf("without a leader for %.1f %% of the time, at most %s", 100*float64(r.gap)/float64(r.span), time.Duration(r.longest).Round(time.Millisecond))
	}
	return loss
}

func twoLeaders(op, began *history.Op) Anomaly {
	return Anomaly{
		Kind: "two-leaders", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: Witness(began, op),
		Sentence: fmt.Sprintf("%s acted as the leader at %s (apply %d, %q) although %s had become it at %s (apply %d)",
			By(op), At(op.Time), op.Apply, op.Value, By(began), At(began.Time), began.Apply),
	}
}
