package checker

import (
	"cmp"
)

// A judge puts every piece of every lock before the rules, while the fold reads the history.
type judge struct {
	run     *survey
	book    *book
	sound   connections
	totals  *totals
	bit     map[int]bool // faults that were effective, by their place in the survey
	locks   map[string]*lockRules
	latches *latches
	stores  *objects
}

// lockRules are the rules for one lock, and what they have found.
type lockRules struct {
	name      string
	found     *findings
	rules     []rule
	followers []follower // they see the calls one by one
	linear    *nonlinearizable
}

func newJudge(run *survey, sound connections, inv Invariant) *judge {
	j := &judge{run: run, book: &book{run: run}, sound: sound, totals: &totals{perClient: map[int]int{}}, bit: map[int]bool{}, locks: map[string]*lockRules{}}
	j.latches = newLatches(base{run, newFindings(j.book)}, j.totals, meetings{run, j.bit})
	j.stores = newObjects(j.book, inv)
	return j
}

// rulesOf returns the rules for a lock.
func (j *judge) rulesOf(name string) *lockRules {
	l := j.locks[name]
	if l == nil {
		b := base{j.run, newFindings(j.book)}
		starving := newStarved(b)
		l = &lockRules{name: name, found: b.found, linear: &nonlinearizable{base: b}}
		l.followers = []follower{starving, newUnfair(b, j.sound)}
		l.rules = append([]rule{starving}, j.rules(b)...)
		l.rules = append(l.rules, l.linear, &measuring{run: j.run, totals: j.totals})
		j.locks[name] = l
	}
	return l
}

// rules returns the rules for one lock, in the order in which they are asked.
func (j *judge) rules(b base) []rule {
	if j.run.o.Kind == barrierKind {
		return []rule{&barrierOpen{b}, &standstill{b}, &voidGrant{b}, &meetings{j.run, j.bit}}
	}
	return []rule{
		&doubleGrant{base: b},
		&overCapacity{base: b},
		&voidGrant{b},
		&lateNotice{b},
		newOverrun(b),
		&tokenRegression{b},
		&tokenDuplicate{base: b},
		&tokenChanged{b},
		&staleAccepted{base: b},
		&fenceLockout{base: b, totals: j.totals},
		&foreignRelease{base: b},
		newDeadlock(b),
		&upgradeDeadlock{b},
		&orphan{b},
		newImmortal(b),
		newListedHolds(b),
		&falseValidity{base: b, short: map[*lease]*shortfall{}},
		&selfDeadlock{base: b},
		&disagreement{b},
		&zombie{b},
		&leftover{b},
		&bites{run: b.run, of: map[int]*bite{}, bit: j.bit},
	}
}

// The fold tells of locks what follows.

func (j *judge) called(l *lockView, w *wait) {
	for _, f := range j.rulesOf(l.name).followers {
		f.called(l, w)
	}
}

func (j *judge) granted(l *lockView, w *wait) {
	for _, f := range j.rulesOf(l.name).followers {
		f.granted(l, w)
	}
}

func (j *judge) ended(l *lockView, w *wait) {
	for _, f := range j.rulesOf(l.name).followers {
		f.ended(l, w)
	}
}

func (j *judge) settled(p *piece) {
	for _, r := range j.rulesOf(p.name).rules {
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
