package search

import "time"

// A Tally counts the runs of a search so far.
type Tally struct {
	Runs    int // number of runs, including those without faults
	Trials  int // number of runs with faults
	Virtual time.Duration
	Points  map[string]int // class of points → runs in which it occurred
	Hit     map[string]int // class of points → faults at such a point
	Faults  map[string]int // kind → faults that struck
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
