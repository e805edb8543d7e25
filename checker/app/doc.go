// Package app judges the runs of jobs that the replicas of a program were seen to carry out. It
// finds anomalies; package checker makes a verdict of them.
//
// # Reading order
//
//   - runs.go: entries become runs, and when a replica was surely inside one.
//   - together.go, twice.go, stale.go, leaders.go, answers.go, lost.go, stuck.go: the rules.
//   - judge.go: all rules over all jobs, and what could not be decided.
//
// # What is certain
//
// The time of an entry is when it was known; Op.Began is the earliest moment at which it can have
// happened. A claim rests on the latest possible begin and the earliest possible end. Where the
// stamps leave both open the claim is not made, and the property is unknown.
package app
