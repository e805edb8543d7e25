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

// Check replays the terms in the order in which the store applied the operations.
func (LeaderInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	terms := make(map[string]*term)
	told := make(map[int64]bool)
	loss := Loss{Unit: "actions"}
	var found []Anomaly
	var gap, longest, span int64
	for i := range applied {
		op := &applied[i]
		part := workKey(op)
		if op.F == history.Read || op.Lease == 0 || part != "leader" && part != "action" {
			continue
		}
		now := terms[op.Lock]
		if part == "leader" {
			if now != nil {
				without := max(0, op.Time-now.acted)
				gap, longest, span = gap+without, max(longest, without), span+max(0, op.Time-now.began.Time)
			}
			terms[op.Lock] = &term{op, op.Time}
			continue
		}
		loss.Of++
		if now == nil || now.began.Lease == op.Lease {
			if now != nil {
				now.acted = op.Time
			}
			continue
		}
		loss.Lost++
		if !told[op.Lease] {
			found = append(found, twoLeaders(op, now.began))
		}
		told[op.Lease] = true
	}
	if span > 0 {
		loss.Note = fmt.Sprintf("without a leader for %.1f %% of the time, at most %s", 100*float64(gap)/float64(span), time.Duration(longest).Round(time.Millisecond))
	}
	return found, loss
}

func twoLeaders(op, began *history.Op) Anomaly {
	return Anomaly{
		Kind: "two-leaders", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(began, op),
		Sentence: fmt.Sprintf("%s acted as the leader at %s (apply %d, %q) although %s had become it at %s (apply %d)",
			by(op), at(op.Time), op.Apply, op.Value, by(began), at(began.Time), began.Apply),
	}
}
