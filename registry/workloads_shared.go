package registry

import (
	"locktorture/checker/invariant"
	"locktorture/locks"
)

// ofShared returns the workloads for locks that are not exclusive: read-write locks, semaphores,
// elections, latches and barriers.
func ofShared() map[string]Workload {
	return map[string]Workload{
		"document":   {About: "two pages that many clients read and few change: a read-write lock", Lock: "document", Kind: locks.ReadWrite, Invariant: invariant.Document{}},
		"controller": {About: "a leader marks each of its changes with its generation: an election", Lock: "controller", Kind: locks.Election, Invariant: invariant.Controller{}},
		"rate":       {About: "a limited number of clients work at the same time: a semaphore", Lock: "rate", Kind: locks.Semaphore, Invariant: invariant.Rate{}},
		"pool":       {About: "a limited number of connections are lent, each to one client: semaphores of two sizes", Lock: "pool", Kind: locks.Semaphore, Invariant: invariant.Pool{}},
		"start-gate": {About: "all clients start when everything is prepared: latches", Lock: "start-gate", Kind: locks.CountDownLatch, Invariant: invariant.StartGate{}},
		"fan-in":     {About: "one client collects the results when all clients have done their parts: latches", Lock: "fan-in", Kind: locks.CountDownLatch, Counts: true, Invariant: invariant.FanIn{}},
		"phases":     {About: "all clients work in phases, and none is a phase ahead of the others: a double barrier", Lock: "phases", Kind: locks.DoubleBarrier, Invariant: invariant.Phases{}},
	}
}
