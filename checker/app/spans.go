package app

import (
	"fmt"
	"math"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
)

// A clock says by how many ns the wall clock of a process is ahead of the clock of the
// history, at least and at most. Both bounds come from spans: no span ended after it had
// arrived, and none began before its process was started.
type clock struct {
	least, most int64
	useless     bool // it was moved by a fault, or what it showed is impossible
}

// spans sets the times of the runs that were seen by spans to the times that are possible.
func (j *judge) spans() {
	clocks := map[int]*clock{}
	for _, r := range j.runs {
		if r.bySpan() {
			c := clocks[r.process]
			if c == nil {
				c = &clock{least: math.MinInt64, most: math.MaxInt64, useless: j.clockMoved(r.client)}
				clocks[r.process] = c
			}
			c.showed(r)
		}
	}
	for _, r := range j.runs {
		if r.bySpan() {
			clocks[r.process].place(r)
		}
	}
}

// openSpans notes that the span of a run is not seen if the process ends before the run.
func (j *judge) openSpans(b *job) {
	if n := len(j.died); b.Spans && n > 0 {
		j.unsure(incident.Exclusion, fmt.Sprintf("%s ended, and any span of %s that was open at that moment never arrived", figures.Plural(n, "process", "processes"), b.Name))
	}
}

// bySpan reports whether a run was seen by a span.
func (r *run) bySpan() bool {
	return r.begin != nil && r.end != nil && r.begin.Way() == history.BySpan
}

// clockMoved reports whether a fault moved the clock of a replica.
func (j *judge) clockMoved(client int) bool {
	for _, f := range j.run.Faults {
		if f.Effect(history.Skewed) && f.Op.Client == client {
			return true
		}
	}
	return false
}

// showed takes what a span says about the clock.
func (c *clock) showed(r *run) {
	from, to := r.begin.UntilMax, r.end.UntilMax
	if from == history.Never || to == history.Never || to < from {
		c.useless = true
		return
	}
	c.least = max(c.least, to-r.end.Time)
	c.most = min(c.most, from-earliest(r.begin))
	c.useless = c.useless || c.least > c.most
}

// place sets the begin and the end of a run to what its stamps allow. If the clock is useless,
// the run lies somewhere between the start of its process and the arrival of its span.
func (c *clock) place(r *run) {
	begin, end := *r.begin, *r.end
	if !c.useless {
		begin.SetBegan(r.begin.UntilMax - c.most)
		begin.Time = r.begin.UntilMax - c.least
		end.SetBegan(r.end.UntilMax - c.most)
		end.Time = r.end.UntilMax - c.least
	}
	r.begin, r.end = &begin, &end
	r.first, r.latest = earliest(&begin), end.Time
}

// maybeFrom returns the earliest moment at which a run can have begun. The begin of the run
// must have been seen.
func (r *run) maybeFrom() int64 {
	if r.bySpan() {
		return earliest(r.begin)
	}
	return r.begin.Time
}
