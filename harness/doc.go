// Package harness carries out one run: clients do the work of a workload under a lock, while a
// nemesis injects faults. No other package records entries of a run; harness does not judge them.
//
// # Reading order
//
// Read config.go first, then run.go (Go carries out a run from start to end), client.go and
// section.go (a client and its critical section), store.go and gate.go (a store operation, and the
// gate at which a fault stops it). life.go has the processes of a client and records their
// operations, held.go has its leases, target.go shows it to the faults, which faults.go records.
// Then read demand.go, probes.go, tail.go and end.go. A script (script.go and its siblings) drives
// the clients step by step.
package harness
