package gotest

import (
	"time"

	"locktorture/checker"
)

// An Exploration is what Explore and Search came to.
type Exploration struct {
	Trials  int           // that were played, each with one to three faults
	Virtual time.Duration // of all runs together
	Kinds   []string      // of faults that could strike
	Servers string        // where they come from, and why from there
	// Unseen says what could not be seen of the lock, and why; "": its servers were looked at
	// all the time, as those of every lock are of which it is known who holds it.
	Unseen string
	Found  *Found // nil: nothing of which the lock can be accused
}

// A Found is what breaks the lock, cut down to what matters.
type Found struct {
	Trial     int            // in which it was found, from 1; 0: a schedule was given
	Mechanism string         // how it comes about, in words without times and numbers
	Result    checker.Result // of the run that is left
	Replay    Replay
	Runs      int // that it took to cut it down
	// Seen is in how many of Others the same faults lead to an anomaly of the same kind:
	// worlds with other latencies, other work of the clients, and the times of real servers.
	Seen, Others int
	Cause        string // what each fault has to do with it, and Votes
	// Votes say who voted when: how each server answered each try of who was granted the lock, and
	// who renewed another's lease. None are known without a Dir.
	Votes  []string
	Report string // path; "": nothing was written
}
