// Package trial carries out one trial of a lock, from a plain Config to a verdict and a
// run directory:
//
//	servers → world → recorder → harness → judge → reports
//
// This pipeline is written nowhere else. Run carries it out. An Act is the activity
// between the recorder and the judge: the Work of clients while faults strike, or the
// script of a scenario. Judge, Load and Write are the second half of the pipeline, for
// runs that were recorded before.
//
// A Config holds values, not names: a lock, a workload, faults. Callers that have names look them
// up in package registry, so neither package imports the other. A lock from a user's own tests is
// in no registry, and is tried in the same way.
//
// Once the first entry is recorded, a run is never lost: its directory stays, whatever fails later.
// The directory of a run that never began is removed.
//
// # Reading order
//
// config.go, run.go (Run, top-down), work.go with faults.go and schedule.go, recording.go,
// judge.go, unreached.go; then describe.go and options.go (the contents of run.json, and the
// options of the checker), dir.go and limit.go.
package trial
