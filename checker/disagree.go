package checker

import (
	"fmt"
	"slices"

	"locktorture/history"
)

// disagreement finds observers of an election that see two different orders of leaders.
type disagreement struct{ base }

func (r *disagreement) check(p *piece) {
	if !r.run.o.isElection() {
		return
	}
	l := p.lockView
	r.leadersOfTerms(l)
	var all []*observer
	for _, o := range l.observations {
		if o.leader() == "" {
			continue
		}
		r.observerOf(&all, o).see(r.found, l, o)
	}
	for i, a := range all {
		for _, b := range all[:i] {
			r.crossed(l, a, b)
		}
	}
}

// leadersOfTerms finds terms of which somebody saw another leader than the one that was
// elected, or than others saw.
func (r *disagreement) leadersOfTerms(l *lockView) {
	type leader struct {
		value string
		proof []*history.Op
	}
	of, told := map[uint64]leader{}, map[uint64]bool{}
	for _, g := range l.leases {
		if _, twice := of[g.token]; !twice && g.token != 0 { // two grants of one term: token-duplicate
			of[g.token] = leader{g.inv.Candidate(), []*history.Op{g.inv, g.ret}}
		}
	}
	for _, o := range l.observations {
		was, known := of[o.term()]
		switch {
		case o.term() == 0 || told[o.term()]:
		case !known:
			of[o.term()] = leader{o.leader(), []*history.Op{o.inv, o.ret}}
		case was.value != o.leader():
			told[o.term()] = true
			r.found.add("observer-disagrees", was.proof[0].Time, func() Anomaly {
				return Anomaly{
					Lock: l.name, Time: o.ret.Time, Ops: ops(append(was.proof, o.inv, o.ret)...),
					Sentence: fmt.Sprintf("%s saw %s lead %s in term %d at %s, which is the term of %s",
						who(r.run.client(o.inv)), o.leader(), l.name, o.term(), at(o.ret.Time), was.value),
				}
			})
		}
	}
}

// An observer is a client from its start to its death, and whom it saw lead, one after the
// other.
type observer struct {
	client, process int
	last            *observation
	first           map[string]int // leader → its place among the leaders that the observer saw
	order           []*observation // the first of each leader
}

// observerOf finds or adds the observer that made an observation.
func (r *disagreement) observerOf(all *[]*observer, o *observation) *observer {
	client, process := r.run.client(o.inv), o.inv.Process
	for _, s := range slices.Backward(*all) {
		if s.client == client {
			if r.run.sameLife(client, s.process, process) {
				return s
			}
			break
		}
	}
	s := &observer{client: client, process: process, first: map[string]int{}}
	*all = append(*all, s)
	return s
}

// see adds what an observer saw, and finds that it saw a leader again after the next one.
func (s *observer) see(found *findings, l *lockView, o *observation) {
	before := s.last
	s.last = o
	if before != nil && before.leader() == o.leader() && before.term() == o.term() {
		return
	}
	_, again := s.first[o.leader()]
	if !again {
		s.first[o.leader()] = len(s.order)
		s.order = append(s.order, o)
	}
	if before == nil || o.term() >= before.term() && !(again && o.term() == 0) {
		return
	}
	found.add("observer-disagrees", before.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: o.ret.Time, Ops: ops(before.inv, before.ret, o.inv, o.ret),
			Sentence: fmt.Sprintf("%s saw %s lead %s at %s%s, after it had seen its successor %s at %s%s",
				who(s.client), o.leader(), l.name, at(o.ret.Time), inTerm(o), before.leader(), at(before.ret.Time), inTerm(before)),
		}
	})
}

func inTerm(o *observation) string {
	if o.term() == 0 {
		return ""
	}
	return fmt.Sprintf(" (term %d)", o.term())
}

// crossed finds the first two leaders that two observers saw in opposite orders. Where there
// are terms each observer is held to their order, and two that keep it agree.
func (r *disagreement) crossed(l *lockView, a, b *observer) {
	var latest *observation // of those that both saw, the one that b saw last
	for _, o := range a.order {
		place, both := b.first[o.leader()]
		if !both || o.term() != 0 {
			continue
		}
		if latest == nil || place > b.first[latest.leader()] {
			latest = o
			continue
		}
		x, y := b.order[place], b.order[b.first[latest.leader()]]
		first := latest
		r.found.add("observer-disagrees", min(x.inv.Time, first.inv.Time), func() Anomaly {
			return Anomaly{
				Lock: l.name, Time: max(o.ret.Time, y.ret.Time), Ops: ops(first.inv, first.ret, o.inv, o.ret, x.inv, x.ret, y.inv, y.ret),
				Sentence: fmt.Sprintf("%s saw %s lead %s at %s and then %s at %s, and %s saw them the other way round, at %s and %s",
					who(a.client), first.leader(), l.name, at(first.ret.Time), o.leader(), at(o.ret.Time), who(b.client), at(x.ret.Time), at(y.ret.Time)),
			}
		})
		return
	}
}
