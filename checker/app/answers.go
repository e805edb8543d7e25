package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// byAnswer is the way in which a replica was seen to lead that said so when it was asked.
const byAnswer = "while"

// turnWithin is the time, in ns, within which three answers in turn leave open whether two
// replicas led at once, if the job does not say how long a replica leads.
const turnWithin = int64(1e9)

// answers finds replicas that both said that they lead, in answers without the number of a
// term. An answer was true at one moment between its question and its arrival, and between two
// answers a replica may have lost the lead and regained it.
func (j *judge) answers(b *job) {
	by := map[int][]*history.Op{}
	for _, r := range b.runs {
		for _, e := range r.effects {
			if e.Way() == byAnswer && e.Token == 0 {
				by[r.client] = append(by[r.client], e)
			}
		}
	}
	clients := slices.Sorted(maps.Keys(by))
	for i, c := range clients {
		for _, o := range clients[:i] {
			j.claim(b, slices.Concat(j.contradictions(b, by[c], by[o]), j.contradictions(b, by[o], by[c])))
		}
	}
}

// A turn is an answer of one replica between two answers of another. None of the three
// overlap.
type turn struct{ before, in, after *history.Op }

func (t turn) from() int64 { return earliest(t.before) }
func (t turn) to() int64   { return t.after.Time }

// contradictions returns the answers of one replica that lie so closely between two answers of
// another that both led at once. Otherwise the replica in between would have begun to lead
// after the first answer and lost the lead before the last. Then it would have led for less
// than the Term of its job, although its process did not end.
func (j *judge) contradictions(b *job, inner, outer []*history.Op) (found []turn) {
	for _, in := range inner {
		i := sort.Search(len(outer), func(i int) bool { return outer[i].Time >= earliest(in) })
		k := sort.Search(len(outer), func(k int) bool { return earliest(outer[k]) > in.Time })
		if i == 0 || k == len(outer) {
			continue
		}
		t := turn{outer[i-1], in, outer[k]}
		switch took := t.to() - t.from(); {
		case b.Term == 0 && took <= turnWithin:
			j.close++
		case took < int64(b.Term) && !j.endedIn(in, t.from(), t.to()):
			found = append(found, t)
		}
	}
	return found
}

// claim adds one anomaly for all turns that follow each other without a gap.
func (j *judge) claim(b *job, turns []turn) {
	slices.SortFunc(turns, func(x, y turn) int { return cmp.Compare(x.from(), y.from()) })
	for len(turns) > 0 {
		n, until := 1, turns[0].to()
		for ; n < len(turns) && turns[n].from() <= until; n++ {
			until = max(until, turns[n].to())
		}
		first, n0 := turns[0], n
		j.found.Add("two-leaders", first.to(), func() incident.Anomaly { return saidBoth(b, first, n0, until) })
		turns = turns[n:]
	}
}

// endedIn reports whether the process that answered ended at some time from…to.
func (j *judge) endedIn(answer *history.Op, from, to int64) bool {
	died := j.died[answer.Process]
	return died != nil && died.Time >= from && earliest(died) <= to
}

func saidBoth(b *job, t turn, n int, until int64) incident.Anomaly {
	sentence := fmt.Sprintf("at %s and again at %s, %s said that it was leading %s. In between, at %s, %s said that it was leading, too. A replica that becomes leader leads for at least %s, so both led at once",
		at(t.before), at(t.after), timeline.Who(t.before.Client), b.Name, at(t.in), timeline.Who(t.in.Client), timeline.Dur(int64(b.Term)))
	if n > 1 {
		sentence += fmt.Sprintf(" (%d further answers show the same, until %s)", n-1, timeline.At(until))
	}
	return incident.Anomaly{Lock: b.Name, Time: t.to(), Ops: incident.Ops(t.before, t.in, t.after), Sentence: sentence}
}
