package app

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
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
	unanswered := 0
	for _, r := range begun {
		for _, t := range r.tries {
			if !r.answered(t) && j.next(b, begun, r, t.Time) != nil {
				unanswered++
			}
		}
		for _, e := range r.effects {
			next := j.next(b, begun, r, e.Time)
			switch {
			case next == nil:
				continue
			case e.Refused != "":
				j.Refused++
				continue
			}
			if sure := b.overtook(begun, r, e); sure != nil {
				j.found.Add("stale-effect", r.begin.Time, func() incident.Anomaly { return staleEffect(b, r, sure, e) })
			} else {
				j.close++
			}
		}
	}
	if unanswered > 0 {
		j.unsure(incident.Exclusion, fmt.Sprintf("%s: %s requested after the next run had begun, and no answer shows the outcome", b.Name, figures.Plural(unanswered, "effect was", "effects were")))
	}
}

// next returns the first run of another replica that comes after r and began before a moment.
// A run whose effects the store all refused does not count: it came before r and began late.
func (j *judge) next(b *job, begun []*run, r *run, before int64) *run {
	for _, n := range begun {
		switch {
		case n.begin.Time >= before:
			return nil
		case !b.compares(r, n), !n.after(r):
		case n.barred():
			j.Refused++
		default:
			return n
		}
	}
	return nil
}

// overtook returns the first run that certainly came after r and had certainly begun before an
// effect of r began. It returns nil if there is none.
func (b *job) overtook(begun []*run, r *run, e *history.Op) *run {
	began, known := e.Began()
	if !known || mayBeOfAnother(begun, r, e, began) {
		return nil
	}
	for _, n := range begun {
		switch {
		case n.begin.Time >= began:
			return nil
		case b.compares(r, n) && n.surelyAfter(r) && !n.barred():
			return n
		}
	}
	return nil
}

// compares reports whether r must not overlap n, a run of another replica. If the job allows one run
// for each key, it reports false for runs without a known key.
func (b *job) compares(r, n *run) bool {
	return n.client != r.client && (b.OneAtATime == timeline.OneRun || n.key == r.key && r.key != "")
}

// mayBeOfAnother reports whether an effect may belong to a later run of the same process, because
// the begin of that run was read only after the effect had begun.
func mayBeOfAnother(begun []*run, r *run, e *history.Op, began int64) bool {
	return slices.ContainsFunc(begun, func(o *run) bool {
		fits := e.Key == "" || o.key == "" || o.key == e.Key
		return o != r && o.process == r.process && fits && o.begin.Time > began && earliest(o.begin) <= began
	})
}

// after reports whether a run comes after another: by their fencing tokens, or by their begins if
// not both have one.
func (r *run) after(o *run) bool {
	if r.begin.Token > 0 && o.begin.Token > 0 {
		return r.begin.Token > o.begin.Token
	}
	return r.begin.Time > o.begin.Time
}

// surelyAfter reports whether a run certainly comes after another, although begins may be read late.
func (r *run) surelyAfter(o *run) bool {
	if r.begin.Token > 0 && o.begin.Token > 0 {
		return r.begin.Token > o.begin.Token
	}
	return earliest(r.begin) > o.begin.Time
}

// barred reports whether the store refused all that a run wanted to do.
func (r *run) barred() bool {
	done := func(e *history.Op) bool { return e.Refused == "" }
	return len(r.effects) > 0 && !slices.ContainsFunc(r.effects, done)
}

func staleEffect(b *job, r, next *run, e *history.Op) incident.Anomaly {
	return incident.Anomaly{
		Lock: b.Name, Key: e.Key, Time: e.Time, Ops: incident.Ops(r.begin, next.begin, e),
		Sentence: fmt.Sprintf("%s carried out %s at %s (run %d, begun at %s) although %s had begun %s at %s (run %d), and nothing refused this effect",
			timeline.Who(r.client), named(r), timeline.At(earliest(e)), r.number, at(r.begin), timeline.Who(next.client), named(next), at(next.begin), next.number),
	}
}
