package app

import (
	"fmt"
	"math"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// stuck finds times without a fault in which nothing was done for a job for longer than it
// promises. Where requests are seen something must be asked for all the time.
func (j *judge) stuck(b *job) {
	if b.AgainWithin <= 0 {
		return
	}
	end := j.run.End
	if len(b.asked) == 0 {
		end = min(end, j.over)
	}
	for _, w := range timeline.Between(j.run.Disturbances(0, end), 0, end) {
		from := w.From
		for _, sign := range append(j.signs(b, w), w.To) {
			if j.waited(b, from, sign) {
				j.found.Add("stuck", from, func() incident.Anomaly { return isStuck(b, from, sign, w) })
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

// waited reports whether nothing was done from…to for longer than promised, although nobody was
// inside and somebody wanted it.
func (j *judge) waited(b *job, from, to int64) bool {
	limit := int64(b.AgainWithin) + b.JobSlack() + j.run.Stalled(from, to)
	if to-from <= limit {
		return false
	}
	for _, r := range b.runs {
		if r.first <= from && r.maybeUntil(false) > from {
			return false // it may still be at work
		}
	}
	return len(b.asked) == 0 || b.wanted(from, to)
}

// wanted reports whether a key that was asked for at a moment was not begun until another.
func (b *job) wanted(from, to int64) bool {
	begun := map[string]int64{}
	for _, r := range b.runs {
		if at, ok := begun[r.key]; !ok || r.first < at {
			begun[r.key] = r.first
		}
	}
	for key, op := range b.asked {
		first, ok := begun[key]
		if !ok {
			first = math.MaxInt64
		}
		if op.Time <= from && first >= to {
			return true
		}
	}
	return false
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
		Sentence: fmt.Sprintf("no replica began %s from %s to %s, with no fault in place since %s: again is promised within %s",
			b.Name, timeline.At(from), timeline.At(to), timeline.At(w.From), timeline.Dur(int64(b.AgainWithin))),
	}
}
