// Package trial is one trial of a lock, from a plain Config to a verdict and a
// run directory:
//
//	servers → world → recorder → harness → judge → reports
//
// It is the only place where that pipeline is written. Run carries it out; what
// happens between the recorder and the judge is an Act: the Work of clients while
// faults strike, or the script of a scenario. Judge, Load and Write are its second
// half, for runs that were recorded before.
//
// A Config has values and not names: a lock, a workload, faults. Who has names
// looks them up in package registry, which is why neither package imports the
// other. A lock of somebody else's tests stands in no registry, and is tried in the
// same way.
//
// Nothing of a run is lost once its first entry was recorded: the directory stays,
// whatever fails after that. One of a run that never began is removed.
//
// # Reading order
//
// config.go, run.go (Run, top-down), work.go with faults.go and schedule.go, recording.go,
// judge.go, unreached.go; then describe.go and options.go (what is written of a run, and what
// the checker is told), dir.go and limit.go.
package trial
