package checker

import (
	"locktorture/checker/incident"
	"locktorture/timeline"
)

// A rule looks for anomalies in the history of one lock. One that is also a timeline.Follower
// sees its calls one by one. It is asked once for each piece of
// that history, in order, and keeps in its own fields what a later piece has to be compared
// with: the fold forgets each piece.
type rule interface {
	check(p *timeline.Piece)
}

// A base holds what every rule works with.
type base struct {
	run    *timeline.Run        // what the first reading found of the whole run
	found  *incident.Findings   // of the lock
	totals *totals              // of the whole run: what is measured
	sound  timeline.Connections // which clients are surely connected, as the fold reads
}
