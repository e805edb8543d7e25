package rule

import (
	"locktorture/checker/incident"
	"locktorture/timeline"
)

// A rule looks for anomalies in the history of one lock. It is asked once for each piece of
// that history, in order, and keeps in its own fields what a later piece has to be compared
// with: the fold forgets each piece. A rule that is also a timeline.Follower sees the calls one
// by one.
type rule interface {
	check(p *timeline.Piece)
}

// A base holds what every rule works with.
type base struct {
	run    *timeline.Run        // what the first reading found of the whole run
	found  *incident.Findings   // the findings of the lock
	totals *Totals              // the measures of the whole run
	sound  timeline.Connections // which clients are surely connected, as the fold reads
}

// A Case holds what the rules of one run share.
type Case struct {
	Run    *timeline.Run
	Book   *incident.Book
	Totals *Totals
	// Bit has the faults that were effective, by their place in Run.Faults.
	Bit   map[int]bool
	sound timeline.Connections
}

// NewCase begins to judge a run. The fold keeps sound up to date while it reads.
func NewCase(run *timeline.Run, sound timeline.Connections) *Case {
	return &Case{Run: run, Book: incident.NewBook(run, Kinds()), Totals: &Totals{PerClient: map[int]int{}}, Bit: map[int]bool{}, sound: sound}
}

// base returns the base of the rules for one more lock.
func (c *Case) base() base {
	return base{run: c.Run, found: incident.NewFindings(c.Book), totals: c.Totals, sound: c.sound}
}
