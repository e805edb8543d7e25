package app

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// stale finds effects that a replica began after another had begun the next run. An effect that
// the store refused is none: it shows that the store defends itself.
func (j *judge) stale(b *job) {
	if b.OneAtATime == "" || !b.Effects {
		return
	}
	var begun []*run
	for _, r := range b.runs {
		if r.begin != nil {
			begun = append(begun, r)
		}
	}
	for i, r := range begun {
		for _, t := range r.tries {
			if !r.answered(t) && overtakes(b, begun[i+1:], r, t.Time) != nil {
				j.close++
			}
		}
		for _, e := range r.effects {
			began, known := e.Began()
			next := overtakes(b, begun[i+1:], r, e.Time)
			switch {
			case next == nil:
			case e.Refused != "":
				j.Refused++
			case known && next.begin.Time < began:
				j.found.Add("stale-effect", r.begin.Time, func() incident.Anomaly { return staleEffect(b, r, next, e) })
			default:
				j.close++
			}
		}
	}
}

// overtakes returns the first run of another replica that began after r and before a moment.
func overtakes(b *job, later []*run, r *run, before int64) *run {
	for _, n := range later {
		if n.begin.Time >= before {
			return nil
		}
		if n.client != r.client && n.begin.Time > r.begin.Time && (b.OneAtATime == timeline.OneRun || n.key == r.key) {
			return n
		}
	}
	return nil
}

func staleEffect(b *job, r, next *run, e *history.Op) incident.Anomaly {
	return incident.Anomaly{
		Lock: b.Name, Key: e.Key, Time: e.Time, Ops: incident.Ops(r.begin, next.begin, e),
		Sentence: fmt.Sprintf("%s carried out %s at %s (run %d, begun at %s) although %s had begun %s at %s (run %d), and nothing refused it",
			timeline.Who(r.client), named(r), timeline.At(earliest(e)), r.number, at(r.begin), timeline.Who(next.client), named(next), at(next.begin), next.number),
	}
}
