package rule

import (
	"cmp"
	"maps"
	"slices"

	"locktorture/checker/incident"
	"locktorture/timeline"
)

// Locks puts every piece of every lock before the rules. It is a timeline.LocksFollower.
type Locks struct {
	on     *Case
	byName map[string]*lock
}

// A lock has the rules for one lock.
type lock struct {
	name      string
	found     *incident.Findings
	rules     []rule
	followers []timeline.Follower // the rules that see the calls one by one
	linear    *nonlinearizable
}

// NewLocks returns the judge of the locks of a run.
func NewLocks(c *Case) *Locks { return &Locks{on: c, byName: map[string]*lock{}} }

// of returns the rules for a lock.
func (j *Locks) of(name string) *lock {
	l := j.byName[name]
	if l == nil {
		l = newLock(name, j.on)
		j.byName[name] = l
	}
	return l
}

func newLock(name string, c *Case) *lock {
	b := c.base()
	l := &lock{name: name, found: b.found, linear: &nonlinearizable{base: b}}
	// Nobody inside a barrier keeps others out, so most rules of locks do not apply to barriers.
	own, effective := ofLocks, rule(&bites{run: b.run, of: map[int]*bite{}, bit: c.Bit})
	if c.Run.Options.Kind == timeline.BarrierKind {
		own, effective = ofBarriers, &meetings{c.Run, c.Bit}
	}
	for _, row := range Rows() {
		if row.New != nil && (row.At == own || row.At == everywhere) {
			l.rules = append(l.rules, row.New(b))
		}
	}
	for _, r := range l.rules {
		if f, follows := r.(timeline.Follower); follows {
			l.followers = append(l.followers, f)
		}
	}
	l.rules = append(l.rules, effective, l.linear, &measuring{run: b.run, totals: c.Totals})
	return l
}

// Called shows the rules a call for a lock.
func (j *Locks) Called(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.of(l.Name).followers {
		f.Called(l, w)
	}
}

// Granted shows the rules a grant.
func (j *Locks) Granted(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.of(l.Name).followers {
		f.Granted(l, w)
	}
}

// Ended shows the rules the end of a call.
func (j *Locks) Ended(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.of(l.Name).followers {
		f.Ended(l, w)
	}
}

// Settled asks the rules for the next piece of a lock.
func (j *Locks) Settled(p *timeline.Piece) {
	for _, r := range j.of(p.Name).rules {
		r.check(p)
	}
}

// Findings adds what was found of every lock, by name, and returns how many locks a model
// judged and why it could not judge others.
func (j *Locks) Findings(f *incident.Findings) (judged int, unknown []string) {
	// In the order of their names: the result must not depend on the order of a map.
	for _, l := range slices.SortedFunc(maps.Values(j.byName), func(a, b *lock) int { return cmp.Compare(a.name, b.name) }) {
		f.Join(l.found)
		if l.linear.judged {
			judged++
		}
		// A part that is invalid decides for the lock, whatever could not be judged beside it.
		if l.linear.unknown != "" && !l.linear.invalid {
			unknown = append(unknown, l.linear.unknown)
		}
	}
	return judged, unknown
}
