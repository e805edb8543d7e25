package linear

import (
	"fmt"
	"sort"
)

const byTerms = "terms"

// judgeElection decides an election in O(n log n). Terms put all leaders in one order, and
// with them the operations about each leader: a term begins, is observed and renewed, and may
// be resigned, before the next term begins. These operations form a chain, whose least points
// decide. A process that was told that it no longer leads was told so after its term was seen
// for the last time. An observer that saw no leader looked between two terms.
func judgeElection(t *trace) Verdict {
	r := termReader{t: t, rank: map[uint64]int32{}}
	for _, step := range []func() *Verdict{r.elect, r.observe, r.claim, r.follow} {
		if v := step(); v != nil {
			return *v
		}
	}
	if v := linked(t, byTerms, r.links, nil); v != nil {
		return *v
	}
	s := r.stages()
	for _, l := range r.over {
		if from := s.seen[l.place]; from != nil && from.lo > l.hi {
			return invalid(byTerms, fmt.Sprintf("%v, but its term %d was still observed by a later call: %v", t.ops[l.op], r.terms[l.place].term, t.ops[from.op]),
				int(l.op), int(from.op))
		}
	}
	for _, i := range r.nobody {
		o := &t.ops[i]
		k := sort.Search(len(s.past), func(k int) bool { return s.past[k].lo > o.Return })
		if to := s.next[k]; to != nil && to.hi < o.Call {
			return invalid(byTerms, fmt.Sprintf("%v, although somebody led throughout this call: %v had returned before it, and %v was called only after it", *o, t.ops[to.op], t.ops[s.past[k].op]),
				int(i), int(to.op), int(s.past[k].op))
		}
	}
	return valid(byTerms)
}

// stages holds the links that bound each term in time. All lists are by the rank of a term.
type stages struct {
	seen []*link // the latest call of the links up to the last sight of the term
	past []*link // the latest call of the links up to the end of the term
	next []*link // the earliest return of the links from the begin of the term on; nil after the last
}

func (r *termReader) stages() stages {
	n := len(r.terms)
	s := stages{make([]*link, n), make([]*link, n), make([]*link, n+1)}
	later := func(at **link, l *link) {
		if *at == nil || l.lo > (*at).lo {
			*at = l
		}
	}
	earlier := func(at **link, l *link) {
		if *at == nil || l.hi < (*at).hi {
			*at = l
		}
	}
	for i := range r.links {
		l := &r.links[i]
		k := l.place / placesOfTerm
		if later(&s.past[k], l); l.place%placesOfTerm != placeResign {
			later(&s.seen[k], l)
		}
		earlier(&s.next[k], l)
	}
	for i := range r.over {
		earlier(&s.next[r.over[i].place], &r.over[i])
	}
	for k := 1; k < n; k++ {
		later(&s.seen[k], s.past[k-1])
		later(&s.past[k], s.past[k-1])
	}
	for k := n - 2; k >= 0; k-- {
		earlier(&s.next[k], s.next[k+1])
	}
	return s
}
