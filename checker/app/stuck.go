package app

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// stuck finds times without a fault in which nothing was done for a job for longer than it
// promises. Where requests are seen, a job waits since the oldest key that no run has begun was
// asked for; where none are, it is taken to wait until the load is over.
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
				j.unsure(incident.Liveness, fmt.Sprintf("no span of %s came from %s to %s, and an open span is not seen", b.Name, timeline.At(since), timeline.At(sign)))
			case ok:
				j.found.Add("stuck", since, func() incident.Anomaly { return isStuck(b, since, sign, w) })
			}
			from = max(from, sign)
		}
	}
}

// signs returns the moments of a time at which the wait begins anew: something was done for the
// job, a replica died, or another was started.
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

// waited reports whether nothing was done until a moment for longer than promised, although nobody
// was inside and somebody wanted it, and since when.
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

// wanted returns since when a key was asked for that was not begun until a moment: 0 where requests
// are not seen, and that moment if there was no such key.
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
		Sentence: fmt.Sprintf("no replica began %s from %s to %s, although no fault was in place since %s. The job promises its next run within %s",
			b.Name, timeline.At(from), timeline.At(to), timeline.At(w.From), timeline.Dur(int64(b.AgainWithin))),
	}
}
