package app

import (
	"math"
	"slices"

	"locktorture/history"
	"locktorture/timeline"
)

// byEvent is the way in which something was seen if its replica reported it and waited until
// the report had arrived.
const byEvent = "event"

// byLine is the way in which something was seen if its replica printed it.
const byLine = "line"

// anyTime is the earliest time of a line whose program buffers its output.
const anyTime = 1

// A run is one run of a job by a replica, as far as it was seen.
type run struct {
	number        int64
	client        int
	process       int
	job, key      string
	begin, end    *history.Op // nil: not seen
	tries         []*history.Op
	effects       []*history.Op
	lost          []*history.Op // tries whose request was lost on its way
	died          *history.Op   // its replica ended before the run did
	first, latest int64         // times of the first and the last entry
}

// A job holds its runs in the order of their first entries.
type job struct {
	timeline.Job
	runs  []*run
	asked map[string]*history.Op // by key, the first request
	kept  map[string]bool        // keys that are there at the end
	read  bool                   // kept has them all
	since int64                  // when it began to be read

	onLinks bool // effects were seen on links: no effect begins unseen
}

// A fold holds the jobs of a history while it is read.
type fold struct {
	jobs   map[string]*job
	runs   map[int64]*run
	died   map[int]*history.Op // process → its crash
	up     int64               // when a job or a fault was first seen: replicas may not be ready before
	over   int64               // from then on nothing more was asked for
	around []*history.Op       // connections past the links
}

func newFold(jobs []timeline.Job) *fold {
	f := &fold{jobs: map[string]*job{}, runs: map[int64]*run{}, died: map[int]*history.Op{}, up: math.MaxInt64, over: math.MaxInt64}
	for _, j := range jobs {
		f.jobs[j.Name] = &job{Job: j, asked: map[string]*history.Op{}, kept: map[string]bool{}, since: math.MaxInt64}
	}
	return f
}

func (f *fold) entry(op *history.Op) error {
	if op.F == history.Job || op.F == history.Fault {
		f.up = min(f.up, op.Time)
	}
	switch op.F {
	case history.Crash:
		f.died[op.Process] = op
	case history.Job:
		f.seen(op)
	}
	return nil
}

func (f *fold) seen(op *history.Op) {
	j := f.jobs[op.Lock]
	switch {
	case op.Mode == history.JobOver:
		f.over = min(f.over, op.Time)
		return
	case op.Mode == history.JobAround:
		f.around = append(f.around, op)
		return
	case j == nil:
		return
	case op.Mode == history.JobKept:
		j.kept[op.Key] = true
		j.since = min(j.since, earliest(op))
		j.read = j.read || op.Key == ""
		return
	case op.Mode == history.JobAsked:
		if j.asked[op.Key] == nil {
			j.asked[op.Key] = op
		}
		return
	}
	r := f.runs[op.Lease]
	if r == nil {
		r = &run{number: op.Lease, client: op.Client, process: op.Process, job: op.Lock, key: op.Key, first: op.Time}
		f.runs[op.Lease] = r
		j.runs = append(j.runs, r)
	}
	r.add(op)
}

func (r *run) add(op *history.Op) {
	r.latest = op.Time
	switch op.Mode {
	case history.JobBegin:
		r.begin = op
	case history.JobTry:
		r.tries = append(r.tries, op)
	case history.JobEffect:
		r.effects = append(r.effects, op)
	case history.JobLost:
		if t := r.tryOf(op); t != nil {
			r.lost = append(r.lost, t)
		}
	case history.JobEnd:
		r.end = op
	}
}

// tryOf returns the try whose request an entry reports as lost: the first with its key since it began.
// It returns nil if that was not seen.
func (r *run) tryOf(lost *history.Op) *history.Op {
	i := slices.IndexFunc(r.tries, func(t *history.Op) bool { return t.Key == lost.Key && t.Time >= earliest(lost) })
	if i < 0 {
		return nil
	}
	return r.tries[i]
}

// finish notes which replicas died in a run, and for which jobs effects are seen. It also gives a
// run whose begin has no key the key that was seen later.
func (f *fold) finish() {
	for _, r := range f.runs {
		if r.key == "" {
			r.key = r.laterKey()
		}
		if len(r.tries)+len(r.effects) > 0 {
			f.jobs[r.job].Effects = true
		}
		f.jobs[r.job].onLinks = f.jobs[r.job].onLinks || len(f.around) == 0 && slices.ContainsFunc(r.tries, func(t *history.Op) bool { return t.Way() != byEvent })
		if died := f.died[r.process]; died != nil && (r.end == nil || r.end.Time >= died.Time) {
			r.died = died
		}
	}
}

// laterKey returns the key of the end of a run, or else the one key of all its tries and effects. It
// returns "" if there is none, or more than one.
func (r *run) laterKey() (key string) {
	if r.end != nil && r.end.Key != "" {
		return r.end.Key
	}
	for i, op := range slices.Concat(r.tries, r.effects) {
		if i > 0 && op.Key != key {
			return ""
		}
		key = op.Key
	}
	return key
}

// earliest returns the earliest moment at which the event of an entry can have happened.
func earliest(op *history.Op) int64 {
	if at, ok := op.Began(); ok {
		return at
	}
	return op.Time
}

// collected reports whether the line of the begin was read some unknown time after the program had
// printed it.
func (r *run) collected() bool { return r.begin.Way() == byLine && earliest(r.begin) <= anyTime }

// surelyUntil returns the last moment at which the replica was inside the run for certain. If
// the effects of the job are seen, that is the last try of the run, because what a replica
// does afterwards harms nobody. Otherwise it is the end of the run. A run without an end may
// be over, as far as anybody knows, after what was seen of it last. A dead replica is inside
// no run. For a run that was seen by a span, or by lines that were read late, the result may be
// before its begin; then there is no such moment.
func (r *run) surelyUntil(effects bool) int64 {
	if r.bySpan() {
		return earliest(r.end)
	}
	until := earliest(r.begin)
	for _, t := range r.tries {
		if t.Way() == byEvent { // a try on a link may pass long after it was sent
			until = max(until, earliest(t))
		}
	}
	if !effects && r.end != nil {
		until = max(until, earliest(r.end))
	}
	if r.died != nil {
		until = min(until, earliest(r.died))
	}
	return until
}

// maybeUntil returns when the replica had left the run, or could do nothing more in it.
func (r *run) maybeUntil(effects bool) int64 {
	switch {
	case effects && r.end != nil && len(r.effects) > 0:
		last := r.effects[len(r.effects)-1]
		return min(last.Time, r.end.Time)
	case r.end != nil:
		return r.end.Time
	case r.died != nil:
		return r.died.Time // a signal to end does not end it at once
	}
	return math.MaxInt64
}

// answered reports whether the outcome of a try is known.
func (r *run) answered(t *history.Op) bool {
	return slices.Contains(r.lost, t) || slices.ContainsFunc(r.effects, func(e *history.Op) bool { return e.Key == t.Key && e.Time >= t.Time })
}

// done returns what proves that the run carried its key out: an effect that was not refused, or,
// where no effects are seen, its end. It returns nil if that is not known.
func (r *run) done(key string, effects bool) *history.Op {
	if !effects {
		if r.key == key && r.carriedOut() {
			return r.end
		}
		return nil
	}
	for _, e := range r.effects {
		if e.Refused == "" && e.Key == key {
			return e
		}
	}
	return nil
}

// carriedOut reports whether the end of a run says that it was carried out.
func (r *run) carriedOut() bool { return r.end != nil && r.end.Error == "" }
