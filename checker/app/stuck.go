package app

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// stuck finds times without a fault in which nothing was done for a job for longer than it
// promises. Where requests are seen, a job has waited since the request for the oldest key
// that no run has begun. Where no requests are seen, the job is taken to wait until the load
// is over.
func (j *judge) stuck(b *job) {
	if b.AgainWithin <= 0 || j.unseen(b) {
		return
	}
	end := j.run.End
	if len(b.asked) == 0 {
		end = min(end, j.over)
	}
	for _, w := range timeline.Between(j.run.Disturbances(0, end), 0, end) {
		from := max(w.From, j.up)
		for _, sign := range append(j.signs(b, w), w.To) {
			since, ok := j.waited(b, from, sign)
			switch {
			case ok && b.Spans:
				j.unsure(incident.Liveness, fmt.Sprintf("no span of %s arrived between %s and %s, but a span arrives only after it has ended, so one may still have been open", b.Name, timeline.At(since), timeline.At(sign)))
			case ok:
				j.found.Add("stuck", since, func() incident.Anomaly { return isStuck(b, since, sign, w) })
			}
			from = max(from, sign)
		}
	}
}

// signs returns the moments of a window at which the wait begins anew: something was done for
// the job, a replica died, or another was started.
func (j *judge) signs(b *job, w timeline.Window) (times []int64) {
	add := func(op *history.Op) {
		if op != nil && op.Time > w.From && op.Time < w.To {
			times = append(times, op.Time)
		}
	}
	for _, r := range b.runs {
		add(r.begin)
		add(r.end)
		for _, op := range slices.Concat(r.tries, r.effects) {
			add(op)
		}
	}
	for _, op := range j.run.Crashes {
		add(op)
	}
	slices.Sort(times)
	return times
}

// waited reports whether nothing was done for a job until a moment, for longer than promised,
// although nobody was inside a run and somebody wanted one. since is when that wait began.
func (j *judge) waited(b *job, from, to int64) (since int64, ok bool) {
	since = max(from, b.wanted(to))
	if to-since <= int64(b.AgainWithin)+b.JobSlack()+j.run.Stalled(since, to) {
		return since, false
	}
	for _, r := range b.runs {
		if r.first <= from && r.maybeUntil(false) > from {
			return since, false // it may still be at work
		}
	}
	return since, true
}

// wanted returns the time of the oldest request for a key that no run had begun by a moment.
// It returns 0 if no requests are seen, and that moment if there is no such key.
func (b *job) wanted(to int64) int64 {
	if len(b.asked) == 0 {
		return 0
	}
	begun := map[string]bool{}
	for _, r := range b.runs {
		begun[r.key] = begun[r.key] || r.first < to
	}
	since := to
	for key, op := range b.asked {
		if !begun[key] {
			since = min(since, op.Time)
		}
	}
	return since
}

func isStuck(b *job, from, to int64, w timeline.Window) incident.Anomaly {
	var witness []*history.Op
	for _, r := range b.runs {
		if r.begin != nil && r.begin.Time <= from {
			witness = []*history.Op{r.begin, r.end}
		}
	}
	return incident.Anomaly{
		Lock: b.Name, Time: to, Ops: incident.Ops(witness...),
		Sentence: fmt.Sprintf("no replica began a run of %s from %s to %s, although no fault had been in place since %s. The job promises its next run within %s",
			b.Name, timeline.At(from), timeline.At(to), timeline.At(w.From), timeline.Dur(int64(b.AgainWithin))),
	}
}
