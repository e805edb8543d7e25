// Package harness carries out one run: clients that do the work of a
// workload under a lock, while a nemesis breaks the world around them. It is
// the only part that records, and it does not judge.
//
// # Reading order
//
// Read first config.go, then run.go (Go: one run from start to end), client.go and section.go
// (a client and its section), store.go and gate.go (an operation, and where a fault strikes
// it); faults.go and faultrecord.go (what a nemesis does to clients, and what is recorded of
// it), probe.go, tail.go and end.go. script.go and its siblings let a script do by hand what
// clients do by themselves.
package harness
