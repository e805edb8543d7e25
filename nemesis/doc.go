// Package nemesis holds the faults that a run injects, one small file for
// each, and the seeded schedule that says when they strike. A fault sees the
// world through the small capability interfaces below; what a world does not
// offer is an error, never a silent no-op.
//
// # Reading order
//
// Read first nemesis.go (a fault, and the world that it sees) and traits.go (what it
// declares); then a small fault, restart.go, and a whole one, clock.go; schedule.go and run.go
// say when faults strike and carry that out, fault.go and look.go are what faults have in
// common.
package nemesis
