package app

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// lost finds keys that were asked for, but that no run had carried out when the history ended.
// If a run may have carried a key out unseen, that is unknown.
func (j *judge) lost(b *job) {
	if !b.NoneLost {
		return
	}
	if b.Kept {
		j.gone(b)
	}
	if b.Kept && len(b.asked) == 0 || j.unseen(b) {
		return
	}
	switch {
	case !b.Effects && !b.Ends:
		j.unsure(incident.Liveness, fmt.Sprintf("for %s, torture observes neither effects nor the end of a run, so nobody knows what was carried out", b.Name))
		return
	case len(b.asked) == 0:
		j.unsure(incident.Liveness, fmt.Sprintf("no request for %s was seen", b.Name))
		return
	case j.run.Ended == nil || j.run.Ended.Why() != history.Complete:
		j.unsure(incident.Liveness, "the run ended early, so some requested keys may not have been carried out yet")
		return
	}
	done, maybe := b.carriedOut()
	hidden := b.Spans || len(j.died) > 0 && !b.begun() // a run of a process that died may be unseen as a whole
	unsure := 0
	for _, key := range slices.Sorted(maps.Keys(b.asked)) {
		switch op := b.asked[key]; {
		case done[key]:
		case maybe[key] || maybe[""] || hidden || op.Time > j.latestRequest():
			unsure++
		default:
			j.found.Add("lost", op.Time, func() incident.Anomaly { return isLost(b, key, op, j.run.End) })
		}
	}
	if unsure > 0 {
		j.unsure(incident.Liveness, fmt.Sprintf("for %d of %d requested keys of %s, a run may have done the work unseen", unsure, len(b.asked), b.Name))
	}
}

// latestRequest returns the time of the last request that had to be carried out before the history
// ended. Where a load asks, all of its requests are old enough, because the run waits after its end.
func (j *judge) latestRequest() int64 {
	if j.over != math.MaxInt64 {
		return math.MaxInt64
	}
	return j.run.End - int64(j.run.Options.TTL)
}

// begun reports whether the runs of a job are seen before they have done anything.
func (b *job) begun() bool {
	return slices.ContainsFunc(b.runs, func(r *run) bool { return r.begin != nil || len(r.tries) > 0 })
}

// gone finds runs whose acknowledged effects are not there at the end. It skips effects that were
// acknowledged after the reading began, because the reading may have missed them.
func (j *judge) gone(b *job) {
	if !b.read {
		j.unsure(incident.Liveness, "the effects of "+b.Name+" were not read at the end of the run")
		return
	}
	for _, r := range b.runs {
		var gone []*history.Op
		for _, e := range r.effects {
			if e.Refused == "" && e.Key != "" && e.Time < b.since && !b.kept[e.Key] {
				gone = append(gone, e)
			}
		}
		if len(gone) > 0 {
			j.found.Add("lost", gone[0].Time, func() incident.Anomaly { return isGone(b, r, gone, j.run.End) })
		}
	}
}

func isGone(b *job, r *run, gone []*history.Op, end int64) incident.Anomaly {
	first, last := gone[0], gone[len(gone)-1]
	what, when := first.Key, "at "+at(first)
	if len(gone) > 1 {
		what += " to " + last.Key
		when = fmt.Sprintf("between %s and %s", at(first), at(last))
	}
	return incident.Anomaly{
		Lock: b.Name, Key: first.Key, Time: end, Ops: incident.Ops(first, last),
		Sentence: fmt.Sprintf("%s, the store acknowledged %s of %s by %s (%s), but none of this was left at the end of the history",
			when, figures.Plural(len(gone), "effect", "effects"), b.Name, timeline.Who(r.client), what),
	}
}

// carriedOut returns the keys that were carried out, and the keys that may have been. A key may have
// been carried out by a try without an answer, by a run that was still at work when the history
// ended, and, if no tries of the job are seen, by a run that reported nothing before its end. An
// effect without a key carries out the key of its run, if its run is certain.
func (b *job) carriedOut() (done, maybe map[string]bool) {
	done, maybe = map[string]bool{}, map[string]bool{}
	tries := slices.ContainsFunc(b.runs, func(r *run) bool { return len(r.tries) > 0 })
	for _, r := range b.runs {
		for _, key := range r.keysDone(b.Effects) {
			done[key] = true
		}
		if r.keylessEffect() {
			done[r.key] = r.key != ""
			maybe[""] = maybe[""] || r.key == "" || b.beside(r)
		}
		for _, t := range r.tries {
			maybe[t.Key] = maybe[t.Key] || !r.answered(t)
		}
		if !tries && !r.carriedOut() || b.atWork(r) {
			maybe[r.key] = true
		}
	}
	return done, maybe
}

// atWork reports whether a run was still at work when the history ended. It reports false if the
// ends of the job are not seen.
func (b *job) atWork(r *run) bool {
	return b.Ends && r.begin != nil && r.end == nil && r.died == nil && !succeeded(b, r)
}

// keylessEffect reports whether a run has an effect without a known key.
func (r *run) keylessEffect() bool {
	return slices.ContainsFunc(r.effects, func(e *history.Op) bool { return e.Key == "" && e.Refused == "" })
}

// beside reports whether another run of the same process may have overlapped r.
func (b *job) beside(r *run) bool {
	return slices.ContainsFunc(b.runs, func(o *run) bool {
		return o != r && o.process == r.process && o.first <= r.latest && o.maybeUntil(false) >= r.first
	})
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
			told = fmt.Sprintf("c%d began it at %s (run %d), but the replica ended at %s", r.client, at(r.begin), r.number, at(r.died))
		default:
			told = fmt.Sprintf("c%d had it (run %d), but did not carry it out", r.client, r.number)
		}
	}
	return incident.Anomaly{
		Lock: b.Name, Key: key, Time: end, Ops: incident.Ops(witness...),
		Sentence: fmt.Sprintf("%s %s was requested at %s, but had not been carried out when the history ended: %s", b.Name, key, at(op), told),
	}
}
