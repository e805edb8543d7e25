package app

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// stale finds effects that a replica began after another had begun the next run. An effect
// that the store refused is no anomaly: it shows that the store defends itself.
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
	for _, r := range begun {
		for _, t := range r.tries {
			if !r.answered(t) && j.next(b, begun, r, t.Time) != nil {
				j.close++
			}
		}
		for _, e := range r.effects {
			began, known := e.Began()
			next := j.next(b, begun, r, e.Time)
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

// next returns the first run of another replica that comes after r and began before a moment.
// A run whose effects the store all refused does not count: it came before r and began late.
func (j *judge) next(b *job, begun []*run, r *run, before int64) *run {
	for _, n := range begun {
		switch {
		case n.begin.Time >= before:
			return nil
		case n.client == r.client, !n.after(r), b.OneAtATime != timeline.OneRun && n.key != r.key:
		case n.barred():
			j.Refused++
		default:
			return n
		}
	}
	return nil
}

// after reports whether a run comes after another: by their fencing tokens, or by their begins if
// not both have one.
func (r *run) after(o *run) bool {
	if r.begin.Token > 0 && o.begin.Token > 0 {
		return r.begin.Token > o.begin.Token
	}
	return r.begin.Time > o.begin.Time
}

// barred reports whether the store refused all that a run wanted to do.
func (r *run) barred() bool {
	done := func(e *history.Op) bool { return e.Refused == "" }
	return len(r.effects) > 0 && !slices.ContainsFunc(r.effects, done)
}

func staleEffect(b *job, r, next *run, e *history.Op) incident.Anomaly {
	return incident.Anomaly{
		Lock: b.Name, Key: e.Key, Time: e.Time, Ops: incident.Ops(r.begin, next.begin, e),
		Sentence: fmt.Sprintf("%s carried out %s at %s (run %d, begun at %s) although %s had begun %s at %s (run %d), and nothing refused it",
			timeline.Who(r.client), named(r), timeline.At(earliest(e)), r.number, at(r.begin), timeline.Who(next.client), named(next), at(next.begin), next.number),
	}
}
