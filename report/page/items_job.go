package page

import (
	"locktorture/history"
	"locktorture/report/words"
)

// A jobRun is a run of a job that is not over.
type jobRun struct {
	first   *history.Op
	last    int64 // ns; when it was seen last
	effects int
	tries   map[string]int64 // key → when its effect was tried
}

// job makes the items of what a replica was seen to do: its runs, and their effects.
func (b *builder) job(op *history.Op) {
	if op.Client == 0 || op.Lease == 0 {
		return
	}
	r := b.runs[op.Lease]
	if r == nil {
		r = &jobRun{first: op, tries: map[string]int64{}}
		b.runs[op.Lease] = r
	}
	r.last = op.Time
	switch op.Mode {
	case history.JobTry:
		r.tries[op.Key] = op.Time
	case history.JobEffect:
		r.effects++
		b.effect(op, r)
	case history.JobEnd:
		b.endRun(op.Lease, op.Time)
	}
}

func (b *builder) effect(op *history.Op, r *jobRun) {
	from, tried := r.tries[op.Key]
	if began, ok := op.Began(); ok && !tried {
		from, tried = began, true
	}
	if !tried {
		from = op.Time
	}
	it := item{lane: b.laneOf[owner(op)], kind: itemEffect, start: from / 1000, dur: max(0, op.Time-from) / 1000,
		lock: b.locks.index(words.Word(op.Lock)), lease: op.Lease, flags: outcomeOfJob(op)}
	b.put(it, func() string { return words.Clean(op.Key+" seen by "+op.Way(), words.MaxWord) })
}

func outcomeOfJob(op *history.Op) int {
	if op.Refused == history.ByStore {
		return flagStale
	}
	return 0
}

// endRun draws a run that is over. A run of which only one effect was seen has no length.
func (b *builder) endRun(number, at int64) {
	r := b.runs[number]
	delete(b.runs, number)
	if r.first.Mode != history.JobBegin && r.effects < 2 {
		return
	}
	it := item{lane: b.laneOf[owner(r.first)], kind: itemRun, start: r.first.Time / 1000, dur: max(0, at-r.first.Time) / 1000,
		lock: b.locks.index(words.Word(r.first.Lock)), lease: number}
	b.put(it, func() string { return words.Clean(r.first.Key, words.MaxWord) })
}

// endRunsOf ends the runs of a process that has ended, as far as they were seen; of all, if the history is over.
func (b *builder) endRunsOf(process int, all bool) {
	for number, r := range b.runs {
		if all || r.first.Process == process {
			b.endRun(number, r.last)
		}
	}
}
