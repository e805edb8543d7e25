package app

import (
	"fmt"
	"maps"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
)

// lost finds keys that were asked for and that no run has carried out when the history ends. A
// run that may have carried it out unseen makes that unknown.
func (j *judge) lost(b *job) {
	if !b.NoneLost || j.unseen(b) {
		return
	}
	switch {
	case !b.Effects && !b.Ends:
		j.unsure(incident.Liveness, fmt.Sprintf("neither an effect nor an end of %s is seen: nobody knows what was carried out", b.Name))
		return
	case len(b.asked) == 0:
		j.unsure(incident.Liveness, fmt.Sprintf("nobody was seen to ask for %s", b.Name))
		return
	case j.run.Ended == nil || j.run.Ended.Why() != history.Complete:
		j.unsure(incident.Liveness, "the run was ended early: what was asked for may have been on its way")
		return
	}
	done, maybe := b.carriedOut()
	unsure := 0
	for _, key := range slices.Sorted(maps.Keys(b.asked)) {
		switch op := b.asked[key]; {
		case done[key]:
		case maybe[key] || maybe[""] || b.Spans:
			unsure++
		default:
			j.found.Add("lost", op.Time, func() incident.Anomaly { return isLost(b, key, op, j.run.End) })
		}
	}
	if unsure > 0 {
		j.unsure(incident.Liveness, fmt.Sprintf("%d of %d keys of %s may have been carried out unseen, by a run that never told how it ended", unsure, len(b.asked), b.Name))
	}
}

// carriedOut returns the keys that were carried out, and those that may have been: a try without
// an answer, or, where a job tells of no tries, a run that ended before it told anything.
func (b *job) carriedOut() (done, maybe map[string]bool) {
	done, maybe = map[string]bool{}, map[string]bool{}
	tries := slices.ContainsFunc(b.runs, func(r *run) bool { return len(r.tries) > 0 })
	for _, r := range b.runs {
		for _, key := range r.keysDone(b.Effects) {
			done[key] = true
		}
		for _, t := range r.tries {
			maybe[t.Key] = maybe[t.Key] || !r.answered(t)
		}
		if !tries && !r.carriedOut() {
			maybe[r.key] = true
		}
	}
	return done, maybe
}

func isLost(b *job, key string, op *history.Op, end int64) incident.Anomaly {
	witness := []*history.Op{op}
	told := "no replica began it"
	for _, r := range b.runs {
		if r.key != key {
			continue
		}
		witness = append(witness, r.begin, r.end, r.died)
		switch {
		case r.died != nil:
			told = fmt.Sprintf("c%d began it at %s (run %d) and ended at %s", r.client, at(r.begin), r.number, at(r.died))
		default:
			told = fmt.Sprintf("c%d had it (run %d) and did nothing", r.client, r.number)
		}
	}
	return incident.Anomaly{
		Lock: b.Name, Key: key, Time: end, Ops: incident.Ops(witness...),
		Sentence: fmt.Sprintf("%s %s was asked for at %s and is not done when the run ends: %s", b.Name, key, at(op), told),
	}
}
