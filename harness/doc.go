// Package harness carries out one run: clients that do the work of a
// workload under a lock, while a nemesis breaks the world around them. It is
// the only part that records, and it does not judge.
//
// # Reading order
//
// Read config.go first, then run.go (Go: one run from start to end), client.go and section.go
// (a client and its section), store.go and gate.go (a store operation, and where a fault
// strikes it). faults.go and faultrecord.go hold what a nemesis does to clients, and how it is
// recorded. Then probe.go, tail.go and end.go. In script.go and its siblings a script does step
// by step what clients otherwise do by themselves.
package harness
