package search

import "time"

// A Tally is what a search has played so far.
type Tally struct {
	Runs    int // those without faults included
	Trials  int // with faults
	Virtual time.Duration
	Points  map[string]int // runs in which a class of points came
	Hit     map[string]int // faults at a class of points
	Faults  map[string]int // by kind; those that struck
	States  States
}

func newTally() Tally {
	return Tally{Points: map[string]int{}, Hit: map[string]int{}, Faults: map[string]int{}, States: States{}}
}

func (t *Tally) add(o *Outcome, seen States) {
	t.Runs++
	t.Virtual += o.Run.Virtual
	if len(o.Run.Struck) > 0 {
		t.Trials++
	}
	came := map[string]bool{}
	for _, p := range o.Run.Points {
		came[p.Class()] = true
	}
	for c := range came {
		t.Points[c]++
	}
	for _, d := range o.Struck {
		t.Faults[string(d.Kind)]++
		t.Hit[d.At.Class()]++
	}
	t.States.Union(seen)
}
