// Package diagram draws how an anomaly came about: the leases that its witness names, step by
// step, on the lifelines of nodes, locks, clients and stores. A step is what happened in words
// (steps.go), from the evidence that the history has on those leases (evidence.go); place.go
// gives each its place, with its label between two lifelines (fold.go).
package diagram

import (
	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/words"
	"locktorture/timeline"
)

// A Diagram is the sequence diagram of one anomaly, ready to be drawn.
type Diagram struct {
	ID       int // of the anomaly
	Kind     string
	Sentence string
	W, H     int
	Lines    []lifeline
	Rows     []seqRow
	Bars     []rect
	Steps    []string // the same in words
	Dropped  int
	Noted    bool // there are notes of the harness among the steps
}

type lifeline struct {
	X, Y2       int
	Name, Class string
}

type rect struct {
	X, Y, W, H int
	Class      string
}

type seqRow struct {
	Y, X1, X2, TextX    int
	Head                string // points of the arrow's head
	Dots                []int  // of the servers that the step is about as well
	Time, Stamp, Anchor string
	Label               []textLine
	Class               string
	Self                bool
}

type textLine struct {
	Y    int
	Text string
}

// A Set is the diagrams of a run: of the first anomaly of each kind. It is given every entry
// of the history, in order, and keeps what the diagrams need; after them the recorded traffic,
// if there is any.
type Set struct {
	list      []Diagram
	anomalies []checker.Anomaly // one for each diagram
	gather    *gatherer
}

// Choose picks the anomalies that are drawn.
func Choose(res checker.Result) *Set {
	s := &Set{}
	id := 0
	seen := map[string]bool{}
	for _, p := range res.Properties {
		for _, a := range p.Anomalies {
			id++
			if seen[a.Kind] || len(s.list) == maxDiagrams {
				continue
			}
			seen[a.Kind] = true
			s.anomalies = append(s.anomalies, a)
			s.list = append(s.list, Diagram{ID: id, Kind: words.Word(a.Kind), Sentence: words.Sentence(a.Sentence)})
		}
	}
	s.gather = newGatherer(s.anomalies)
	return s
}

// Entry takes the next entry of a walk through the history.
func (s *Set) Entry(e timeline.Entry) { s.gather.entry(e) }

// Read takes all entries of a history.
func (s *Set) Read(h history.Source) error {
	_, err := timeline.WalkAll(h, func(e timeline.Entry) error {
		s.Entry(e)
		return nil
	})
	return err
}

// Drawn returns the diagrams, once the history is at its end.
func (s *Set) Drawn() []Diagram {
	for i := range s.list {
		steps, dropped := stepsOf(s.anomalies[i], s.gather.found[i])
		s.list[i].Dropped = dropped
		for _, one := range steps {
			s.list[i].Steps = append(s.list[i].Steps, stepWords(one))
		}
		s.list[i].draw(steps)
	}
	return s.list
}
