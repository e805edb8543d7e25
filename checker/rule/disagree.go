package rule

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// disagreement finds observers of an election that see two different orders of leaders.
//
// Guarantee: leaders follow one another in one order, whoever looks. An observer may see the
// order late, but not backwards.
//
// Only orders contradict each other. That nobody leads is no place in an order, so such an answer
// says nothing, and an observer that is behind is never flagged for being late. Times are not
// compared between observers, so their delays do not matter either.
type disagreement struct{ base }

func (r *disagreement) check(p *timeline.Piece) {
	if !r.run.Options.IsElection() {
		return
	}
	l := p.Lock
	// An election is judged in one piece: who was elected in a quiet moment can still be seen long
	// after it.
	r.leadersOfTerms(l)
	var all []*observer
	for _, o := range l.Observations {
		if o.Leader() == "" {
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

// leadersOfTerms finds terms in which somebody saw another leader than the one that was
// elected, or than the one that others saw.
//
// The term alone decides, whenever it was seen: it has one leader for good. Where several
// observations contradict the first, the term is reported once.
func (r *disagreement) leadersOfTerms(l *timeline.Lock) {
	type leader struct {
		value string
		proof []*history.Op
	}
	of, told := map[uint64]leader{}, map[uint64]bool{}
	for _, g := range l.Leases {
		if _, twice := of[g.Token]; !twice && g.Token != 0 { // two grants of one term: token-duplicate
			of[g.Token] = leader{g.Inv.Candidate(), []*history.Op{g.Inv, g.Ret}}
		}
	}
	for _, o := range l.Observations {
		was, known := of[o.Term()]
		switch {
		// Without a term there is nothing to compare. The order of leaders is judged by see and crossed.
		case o.Term() == 0 || told[o.Term()]:
		case !known:
			of[o.Term()] = leader{o.Leader(), []*history.Op{o.Inv, o.Ret}}
		case was.value != o.Leader():
			told[o.Term()] = true
			r.found.Add("observer-disagrees", was.proof[0].Time, func() incident.Anomaly {
				return incident.Anomaly{
					Lock: l.Name, Time: o.Ret.Time, Ops: incident.Ops(append(was.proof, o.Inv, o.Ret)...),
					Sentence: fmt.Sprintf("%s saw %s lead %s in term %d at %s, but another answer named %s as the leader of this term",
						timeline.Who(r.run.Client(o.Inv)), o.Leader(), l.Name, o.Term(), timeline.At(o.Ret.Time), was.value),
				}
			})
		}
	}
}

// An observer is a client from its start to its death, and whom it saw lead, one after the
// other.
//
// A client that comes back after a kill is another observer. It may have connected to a server that
// is behind the one that it asked before.
type observer struct {
	client, process int
	last            *timeline.Observation
	first           map[string]int          // leader → its place among the leaders that the observer saw
	order           []*timeline.Observation // the first of each leader
}

// observerOf finds or adds the observer that made an observation.
func (r *disagreement) observerOf(all *[]*observer, o *timeline.Observation) *observer {
	client, process := r.run.Client(o.Inv), o.Inv.Process
	// The latest observer of a client is the only one whose life can still go on.
	for _, s := range slices.Backward(*all) {
		if s.client == client {
			if r.run.SameLife(client, s.process, process) {
				return s
			}
			break
		}
	}
	s := &observer{client: client, process: process, first: map[string]int{}}
	*all = append(*all, s)
	return s
}

// see adds what an observer saw. It reports an observer that saw a leader again after it had
// seen that leader's successor. A term decides where there is one. Without terms, the leader's
// value decides: each campaign has a value of its own, so no leader comes back.
func (s *observer) see(found *incident.Findings, l *timeline.Lock, o *timeline.Observation) {
	before := s.last
	s.last = o
	// The same answer again is no step in the order.
	if before != nil && before.Leader() == o.Leader() && before.Term() == o.Term() {
		return
	}
	_, again := s.first[o.Leader()]
	if !again {
		s.first[o.Leader()] = len(s.order)
		s.order = append(s.order, o)
	}
	if before == nil || o.Term() >= before.Term() && !(again && o.Term() == 0) {
		return
	}
	found.Add("observer-disagrees", before.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: l.Name, Time: o.Ret.Time, Ops: incident.Ops(before.Inv, before.Ret, o.Inv, o.Ret),
			Sentence: fmt.Sprintf("%s saw %s lead %s at %s%s, after it had seen that leader's successor %s at %s%s",
				timeline.Who(s.client), o.Leader(), l.Name, timeline.At(o.Ret.Time), inTerm(o), before.Leader(), timeline.At(before.Ret.Time), inTerm(before)),
		}
	})
}

func inTerm(o *timeline.Observation) string {
	if o.Term() == 0 {
		return ""
	}
	return fmt.Sprintf(" (term %d)", o.Term())
}

// crossed finds the first two leaders that two observers saw in opposite orders. Where there
// are terms, see holds each observer to their order, and two observers that keep it agree. One
// pair is enough for two observers: further ones would say the same again.
func (r *disagreement) crossed(l *timeline.Lock, a, b *observer) {
	var latest *timeline.Observation // of the leaders that both saw, the one that b saw last
	for _, o := range a.order {
		place, both := b.first[o.Leader()]
		if !both || o.Term() != 0 {
			continue
		}
		if latest == nil || place > b.first[latest.Leader()] {
			latest = o
			continue
		}
		x, y := b.order[place], b.order[b.first[latest.Leader()]]
		first := latest
		r.found.Add("observer-disagrees", min(x.Inv.Time, first.Inv.Time), func() incident.Anomaly {
			return incident.Anomaly{
				Lock: l.Name, Time: max(o.Ret.Time, y.Ret.Time), Ops: incident.Ops(first.Inv, first.Ret, o.Inv, o.Ret, x.Inv, x.Ret, y.Inv, y.Ret),
				Sentence: fmt.Sprintf("%s saw %s lead %s at %s and then %s at %s, but %s saw these leaders in the opposite order, at %s and %s",
					timeline.Who(a.client), first.Leader(), l.Name, timeline.At(first.Ret.Time), o.Leader(), timeline.At(o.Ret.Time), timeline.Who(b.client), timeline.At(x.Ret.Time), timeline.At(y.Ret.Time)),
			}
		})
		return
	}
}
