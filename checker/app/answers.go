package app

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// byAnswer is how a replica was seen to lead that said so when it was asked.
const byAnswer = "while"

// Answers prove that two replicas lead if so many of them, in turn and apart, come within so long.
// Otherwise the lead would have changed hands nine times meanwhile.
const (
	inTurn     = 10
	turnWithin = int64(1e9)
)

// answers finds replicas that both said yes, without the number of a term. An answer was true at one moment between its question and
// its arrival, and between two answers a replica may have lost the lead and regained it.
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
			both := slices.Concat(by[o], by[c])
			slices.SortStableFunc(both, func(x, y *history.Op) int { return cmp.Compare(x.Time, y.Time) })
			j.turns(b, inTurns(both))
		}
	}
}

// inTurns picks answers of two replicas in turn, each asked for after the one before it had come.
func inTurns(both []*history.Op) (list []*history.Op) {
	for _, op := range both {
		if n := len(list); n == 0 || list[n-1].Client != op.Client && earliest(op) > list[n-1].Time {
			list = append(list, op)
		}
	}
	return list
}

// turns finds the stretches in which enough answers in turn are close enough, and notes where some
// are close and too few.
func (j *judge) turns(b *job, list []*history.Op) {
	close := func(n, i int) bool { return i+n <= len(list) && list[i+n-1].Time-earliest(list[i]) <= turnWithin }
	for i := 0; i < len(list); i++ {
		switch {
		case close(inTurn, i):
			from := i
			for close(inTurn, i+1) {
				i++
			}
			i += inTurn - 1
			found := list[from : i+1]
			j.found.Add("two-leaders", found[inTurn-1].Time, func() incident.Anomaly { return saidBoth(b, found) })
		case close(3, i):
			j.close++
		}
	}
}

func saidBoth(b *job, found []*history.Op) incident.Anomaly {
	one, two, last := found[0], found[1], found[len(found)-1]
	return incident.Anomaly{
		Lock: b.Name, Time: found[inTurn-1].Time, Ops: incident.Ops(one, two, found[inTurn-1], last),
		Sentence: fmt.Sprintf("%s and %s both said that they lead %s, %d times in turn from %s to %s: the lead cannot have changed hands that often",
			timeline.Who(one.Client), timeline.Who(two.Client), b.Name, len(found), at(one), at(last)),
	}
}
