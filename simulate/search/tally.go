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
	States  map[uint64]int // element of States → runs that showed it
	fresh   []int          // of each run: the elements of States that no run before it had shown
}

func newTally() Tally {
	return Tally{Points: map[string]int{}, Hit: map[string]int{}, Faults: map[string]int{}, States: map[uint64]int{}}
}

func (t *Tally) add(o *Outcome, shown States) {
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
	fresh := 0
	for state := range shown {
		if t.States[state]++; t.States[state] == 1 {
			fresh++
		}
	}
	t.fresh = append(t.fresh, fresh)
}

// Saturation says how much the search may still find.
func (t *Tally) Saturation() Saturation {
	s := Saturation{Shown: len(t.States)}
	for _, n := range t.fresh[len(t.fresh)-len(t.fresh)/10:] {
		s.Late += n
	}
	once := 0
	for _, runs := range t.States {
		if runs == 1 {
			once++
		}
	}
	s.Next = float64(once) / float64(max(t.Runs, 1))
	return s
}
