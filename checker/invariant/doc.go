// Package invariant says for each workload what must hold of its store, whatever the lock did:
// one small file for each. An invariant is a checker.Invariant. It is given the operations
// that the store applied, in the order in which it applied them, and tells of each that breaks
// what the workload promises, with the operations that prove it.
//
// It holds after any prefix of a section: a client that is killed in the middle of its section
// breaks nothing. What was lost is counted in the workload's own unit.
//
// Some know more: those that are checker.Sectioned say what a whole section comes to as one
// operation. PerKey judges each of several objects by itself; once is what the workloads have
// in common in which a thing is to be done once. words.go holds how keys and anomalies are
// written.
package invariant
