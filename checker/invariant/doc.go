// Package invariant says for each workload what must hold of its store, whatever the lock did:
// one small file for each. An invariant is a checker.Invariant. It is given the operations
// that the store applied, in the order in which it applied them, and reports each operation
// that breaks what the workload promises, with the operations that prove it.
//
// It holds after any prefix of a section: a client that is killed in the middle of its section
// breaks nothing. What was lost is counted in the workload's own unit.
//
// Some invariants know more: those that are checker.Sectioned turn a whole section into one
// operation. PerKey judges each of several objects by itself; once is the common part of the
// workloads in which a thing is to be done once. words.go says how keys and anomalies are
// written.
package invariant
