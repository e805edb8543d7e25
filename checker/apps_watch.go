package checker

import (
	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// While a run goes on, the jobs of a program are judged every watchEvery ns. An anomaly is
// reported when it is watchBehind ns old, because the kill of a replica is recorded after it
// has begun. A history of watchMost entries is not judged again.
const (
	watchEvery  = int64(500e6)
	watchBehind = int64(2e9)
	watchMost   = 5_000
)

// An appWatch judges the jobs of a program by what was seen so far. It reports only violations
// of exclusion. What two replicas were seen to do stays true, whatever comes later, but what
// nobody has done so far may still come.
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
