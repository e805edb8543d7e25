// Package matrix tortures many locks with many faults. It runs backends ×
// nemeses × workloads × seeds, each run a process of its own, keeps every
// verdict as soon as it is there, compares them with what is expected, and
// puts them in a table.
//
// # Reading order
//
// Read first matrix.go (Config), plan.go and run.go, which say what is to be done next, and
// executor.go with run_one.go, who does it and how; then expect.go and judge.go (what was
// expected, and what differs), files.go (what outlives a kill) and show.go with card.go, what
// is shown of it.
package matrix
