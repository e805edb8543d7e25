// Package search looks for faults under which a lock breaks its promise, in virtual time, and
// shrinks its findings.
//
// A trial is a world (an order with its seed) and a schedule of faults. It is played in memory and
// judged by the same checker as any run. The draws of a trial depend only on the seed and the
// trial's number, so any number of workers play the same trials.
//
// # Reading order
//
// trial.go (one trial), search.go and batch.go (many trials), strategy.go and draw.go (the choice
// of faults); deck.go, leases.go and moves.go (the default strategy); states.go (the states that a
// trial showed for the first time); mechanism.go, shrink.go and steps.go (smaller findings);
// cause.go (the role of each fault).
package search
