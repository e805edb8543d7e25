// Package nemesis holds the faults that a run injects, one small file for each, and the seeded
// schedule of their times. A fault acts through the small capability interfaces below. A missing
// capability is an error, never a silent no-op.
//
// # Reading order
//
// Read first nemesis.go (a fault, and the world on which it acts) and traits.go (the declared
// properties of a fault); then a small fault, restart.go, and a full one, clock.go. schedule.go and
// run.go plan the times of faults and execute the plan. fault.go and look.go hold the common parts
// of faults.
package nemesis
