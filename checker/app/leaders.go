package app

import (
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// A term is a run in which a replica was seen to lead: a session in which it acknowledged effects,
// or a time in which it answered yes.
type term struct {
	*run
	from, to int64         // it surely led all the time from…to; to < from: at no known moment
	moments  []*history.Op // in each, it led at some time between the earliest and the latest moment of the entry
	maybe    [2]int64      // it did not lead in this run before maybe[0] or after maybe[1]
}

// termOf returns what is known about the lead in a run; ok is false if nothing is. In a
// session, the moments are its effects: each was carried out between its request and its
// acknowledgement. A server closes its sessions when it no longer leads, so it led all the
// time between two effects of a session. Likewise, it led all the time between two answers
// with the same token.
func termOf(r *run) (t term, ok bool) {
	t = term{run: r}
	for _, e := range r.effects {
		if e.Refused == "" {
			t.moments = append(t.moments, e)
		}
	}
	if len(t.moments) == 0 {
		return t, false
	}
	if t.moments[0].Way() == byAnswer && t.moments[0].Token == 0 {
		return t, false // answers.go
	}
	first, last := t.moments[0], t.moments[len(t.moments)-1]
	t.from, t.to, t.maybe = first.Time, earliest(last), [2]int64{earliest(first), last.Time}
	return t, true
}

// leaders finds replicas that led while another replica led.
func (j *judge) leaders(b *job) {
	if b.OneAtATime == "" {
		return
	}
	j.answers(b)
	var terms []term
	for _, r := range b.runs {
		if t, ok := termOf(r); ok {
			terms = append(terms, t)
		}
	}
	for i, t := range terms {
		for _, o := range terms[:i] {
			if o.client == t.client || t.maybe[0] > o.maybe[1] || o.maybe[0] > t.maybe[1] {
				continue
			}
			outer, inner, at := o, t, o.at(t)
			if at == nil {
				outer, inner, at = t, o, t.at(o)
			}
			if at == nil {
				j.close++
				continue
			}
			j.found.Add("two-leaders", at.Time, func() incident.Anomaly { return twoLeaders(b, outer, inner, at) })
		}
	}
}

// at returns the first moment of another term that lies within this one, for certain.
func (t term) at(o term) *history.Op {
	i := slices.IndexFunc(o.moments, func(m *history.Op) bool { return earliest(m) >= t.from && m.Time <= t.to })
	if i < 0 {
		return nil
	}
	return o.moments[i]
}

// both returns for how many ns two replicas surely led at once, and how many moments of each
// lie in that time.
func (t term) both(o term) (ns int64, mine, theirs int) {
	from, to := max(t.from, o.from), min(t.to, o.to)
	within := func(list []*history.Op) (n int) {
		for _, m := range list {
			if earliest(m) >= from && m.Time <= to {
				n++
			}
		}
		return n
	}
	return max(to-from, 0), within(t.moments), within(o.moments)
}

func twoLeaders(b *job, t, o term, in *history.Op) incident.Anomaly {
	var before, after *history.Op
	for _, m := range t.moments {
		switch {
		case m.Time <= earliest(in):
			before = m
		case after == nil && earliest(m) >= in.Time:
			after = m
		}
	}
	ns, mine, theirs := t.both(o)
	did := func(op *history.Op) string {
		if op.Way() == byAnswer {
			return "said yes at " + at(op)
		}
		return "acknowledged " + op.Key + " at " + at(op)
	}
	again, many := "on the same connection, ", "effects"
	if in.Way() == byAnswer {
		again, many = fmt.Sprintf("in the same term %d, ", before.Token), "answers"
	}
	return incident.Anomaly{
		Lock: b.Name, Key: in.Key, Time: in.Time, Ops: incident.Ops(before, in, after),
		Sentence: fmt.Sprintf("%[1]s %[2]s and, %[3]s%[4]s. In between, %[5]s %[6]s. So both led %[7]s for at least %[8]s (%[9]d %[11]s of %[1]s and %[10]d of %[5]s fall into this time)",
			timeline.Who(t.client), did(before), again, did(after), timeline.Who(o.client), did(in), b.Name, timeline.Dur(ns), mine, theirs, many),
	}
}
