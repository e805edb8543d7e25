package checker

import (
	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// How often the jobs of a program are judged while a run goes on, and how old an anomaly is when it is
// told: the kill of a replica is recorded after it has begun. A longer history is not judged again.
const (
	watchEvery  = int64(500e6)
	watchBehind = int64(2e9)
	watchMost   = 5_000
)

// An appWatch judges the jobs of a program by what was seen so far. What two replicas were seen to do
// stays true, whatever comes later; what nobody did may come.
type appWatch struct {
	o    timeline.Options
	seen history.History
	at   int64
}

func (w *appWatch) feed(op *history.Op) (found []incident.Anomaly) {
	if len(w.seen) >= watchMost {
		return nil
	}
	if w.seen = append(w.seen, *op); op.Time < w.at+watchEvery {
		return nil
	}
	w.at = op.Time
	r, err := judgeApp(w.seen, w.o)
	if err != nil {
		return nil
	}
	for _, a := range r.Properties[0].Anomalies {
		if a.Time < op.Time-watchBehind {
			found = append(found, a)
		}
	}
	return found
}
