// Package search looks for faults under which a lock breaks its promise, in virtual time, and
// cuts what it finds down to what matters.
//
// A trial is a world (an order with its seed) and a schedule of faults. It is played in memory
// and judged by the same checker as any run. Each trial is drawn from the seed and its own
// number alone, so that any number of workers play the same trials.
//
// # Reading order
//
// trial.go (one trial), search.go and batch.go (many), strategy.go and draw.go (which); deck.go,
// leases.go and moves.go (the usual strategy); states.go (what was new); mechanism.go, shrink.go
// and steps.go (less of it); cause.go (what mattered).
package search
