package gotest

import (
	"time"

	"locktorture/checker"
)

// An Exploration is the result of Explore and Search.
type Exploration struct {
	Trials  int           // played trials, each with one to three faults
	Virtual time.Duration // total of all runs
	Kinds   []string      // kinds of faults that could strike
	Servers string        // provisioner of the servers, with the reason for it
	// Unseen describes the part of the lock's state that could not be observed, and the reason. It
	// is "" if its servers were probed all the time, as for every lock whose holder is known.
	Unseen string
	Found  *Found // nil: no anomaly that is the lock's fault
}

// A Found is the fault of a lock with the reduced trial that shows it.
type Found struct {
	Trial     int            // number of the trial, from 1; 0: a schedule was given
	Mechanism string         // mechanism, in words without times and numbers
	Result    checker.Result // result of the reduced run
	Replay    Replay
	Runs      int // number of runs for the reduction
	// Seen is the number of other worlds, out of Others, in which the same faults lead to an
	// anomaly of the same kind. Other worlds have other latencies, other work of the clients, and
	// the timing of real servers.
	Seen, Others int
	Cause        string // the part of each fault in the finding, and Votes
	// Votes describes the votes with their times: the answer of each server to each try of every
	// granted client, and the renewals of another client's lease. It is empty without a Dir.
	Votes  []string
	Report string // path; "": no report was written
}
