package app

import (
	"cmp"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// together finds runs that began on one replica while another was inside its own.
func (j *judge) together(b *job) {
	if b.OneAtATime == "" {
		return
	}
	if !b.Effects && !b.Ends {
		j.unsure(incident.Exclusion, fmt.Sprintf("the ends of runs of %s are not observed, so nobody knows when a run is over", b.Name))
		return
	}
	begun := slices.DeleteFunc(slices.Clone(b.runs), func(r *run) bool { return r.begin == nil })
	slices.SortStableFunc(begun, func(x, y *run) int { return cmp.Compare(x.begin.Time, y.begin.Time) })
	if len(begun) == 0 && len(b.runs) > 0 {
		j.unsure(incident.Exclusion, fmt.Sprintf("the beginnings of runs of %s are not observed, so nobody knows whether two of them overlapped", b.Name))
		return
	}
	if n := len(begun); n > 0 {
		begun = slices.DeleteFunc(begun, (*run).collected)
		if n -= len(begun); n > 0 {
			j.unsure(incident.Exclusion, fmt.Sprintf("the program buffers its output, so the beginnings of %s of %s are not known", figures.Plural(n, "run", "runs"), b.Name))
		}
	}
	open, keyless, unclear := map[*run]bool{}, map[*run]bool{}, int64(0)
	for _, r := range begun {
		unclear = max(unclear, r.begin.Time-r.maybeFrom())
	}
	var inside []*run // runs that may not be over yet
	for _, r := range begun {
		inside = slices.DeleteFunc(inside, func(o *run) bool { return o.maybeUntil(b.Effects) <= r.begin.Time-unclear })
		for _, o := range inside {
			switch {
			case o.maybeUntil(b.Effects) <= r.maybeFrom(), o.client == r.client, b.OneAtATime == timeline.OneRunPerKey && o.key != "" && r.key != "" && o.key != r.key:
			case b.OneAtATime == timeline.OneRunPerKey && (o.key == "" || r.key == ""):
				keyless[r] = true
			case r.begin.Time <= min(o.surelyUntil(b.Effects), r.surelyUntil(b.Effects)) && alive(r):
				j.bare = j.bare || !b.Effects
				j.found.Add("ran-together", o.begin.Time, func() incident.Anomaly { return ranTogether(b, o, r) })
			case b.Effects && (len(o.tries) > 0 || b.onLinks): // the effects of o decide, in stale.go
			case o.end == nil && (o.died == nil || r.begin.Time < o.died.Time) && !succeeded(b, o):
				open[r] = true
			default:
				j.close++
			}
		}
		inside = append(inside, r)
	}
	if n := len(keyless); n > 0 {
		j.unsure(incident.Exclusion, fmt.Sprintf("some runs of %s were observed without a key, so %d runs may have begun during another run with the same key", b.Name, n))
	}
	if n := len(open); n > 0 {
		j.unsure(incident.Exclusion, fmt.Sprintf("%d runs of %s may have begun during a run whose end was never observed", n, b.Name))
	}
}

// alive reports whether the replica of a run surely lived when the run was seen to begin.
func alive(r *run) bool { return r.died == nil || r.begin.Time < earliest(r.died) }

// succeeded reports whether the replica of a run began another run of the job later: it has left
// the first one, though nobody said so.
func succeeded(b *job, r *run) bool {
	return slices.ContainsFunc(b.runs, func(o *run) bool {
		return o.process == r.process && o.begin != nil && o.begin.Time > r.begin.Time
	})
}

func ranTogether(b *job, o, r *run) incident.Anomaly {
	last := o.end
	what := "reported its end at " + at(o.end)
	if b.Effects && len(o.tries) > 0 {
		last = o.tries[len(o.tries)-1]
		what = "began its effect at " + at(last)
	}
	return incident.Anomaly{
		Lock: b.Name, Key: r.key, Time: r.begin.Time, Ops: incident.Ops(o.begin, r.begin, last),
		Sentence: fmt.Sprintf("%s began %s at %s (run %d) although %s was inside a run of %s. That run had begun at %s (run %d) and %s",
			timeline.Who(r.client), named(r), at(r.begin), r.number, timeline.Who(o.client), named(o), at(o.begin), o.number, what),
	}
}

// named names a run: "payout 17".
func named(r *run) string {
	if r.key == "" {
		return r.job
	}
	return r.job + " " + r.key
}

// at names the moment of an entry.
func at(op *history.Op) string {
	if op == nil {
		return "no time"
	}
	return timeline.At(op.Time)
}
