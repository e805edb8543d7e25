package checker

import (
	"cmp"

	"locktorture/checker/incident"
	"locktorture/timeline"
)

// A judge puts every piece of every lock before the rules, while the fold reads the history.
type judge struct {
	run     *timeline.Run
	book    *incident.Book
	sound   timeline.Connections
	totals  *totals
	bit     map[int]bool // faults that were effective, by their place in the survey
	locks   map[string]*lockRules
	latches *latches
	stores  *objects
}

// lockRules are the rules for one lock, and what they have found.
type lockRules struct {
	name      string
	found     *incident.Findings
	rules     []rule
	followers []timeline.Follower // they see the calls one by one
	linear    *nonlinearizable
}

func newJudge(run *timeline.Run, sound timeline.Connections, inv Invariant) *judge {
	j := &judge{run: run, book: incident.NewBook(run, kinds()), sound: sound, totals: &totals{perClient: map[int]int{}}, bit: map[int]bool{}, locks: map[string]*lockRules{}}
	j.latches = newLatches(j.base(), j.totals, meetings{run, j.bit})
	j.stores = newObjects(j.book, inv)
	return j
}

// base is what the rules of one more lock, or of the latches, work with.
func (j *judge) base() base {
	return base{run: j.run, found: incident.NewFindings(j.book), totals: j.totals, sound: j.sound}
}

// rulesOf returns the rules for a lock.
func (j *judge) rulesOf(name string) *lockRules {
	l := j.locks[name]
	if l == nil {
		b := j.base()
		l = &lockRules{name: name, found: b.found, linear: &nonlinearizable{base: b}}
		own, effective := ofLocks, rule(&bites{run: b.run, of: map[int]*bite{}, bit: j.bit})
		if j.run.Options.Kind == timeline.BarrierKind {
			own, effective = ofBarriers, &meetings{j.run, j.bit}
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
		l.rules = append(l.rules, effective, l.linear, &measuring{run: j.run, totals: j.totals})
		j.locks[name] = l
	}
	return l
}

// The fold tells of locks what follows.

func (j *judge) Called(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.rulesOf(l.Name).followers {
		f.Called(l, w)
	}
}

func (j *judge) Granted(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.rulesOf(l.Name).followers {
		f.Granted(l, w)
	}
}

func (j *judge) Ended(l *timeline.Lock, w *timeline.Call) {
	for _, f := range j.rulesOf(l.Name).followers {
		f.Ended(l, w)
	}
}

func (j *judge) Settled(p *timeline.Piece) {
	for _, r := range j.rulesOf(p.Name).rules {
		r.check(p)
	}
}

// result sums up what was found.
func (j *judge) result(inv Invariant) Result {
	return j.verdict().result(inv)
}

func (j *judge) verdict() *verdict {
	locks := sorted(j.locks, func(a, b *lockRules) int { return cmp.Compare(a.name, b.name) })
	return &verdict{run: j.run, book: j.book, totals: j.totals, bit: j.bit, locks: locks, latches: j.latches, stores: j.stores}
}
