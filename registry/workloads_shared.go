package registry

import (
	"locktorture/checker/invariant"
	"locktorture/locks"
	"locktorture/workloads"
)

// ofShared returns the workloads for locks that are not exclusive: read-write locks, semaphores,
// elections, latches and barriers.
func ofShared() map[string]Workload {
	return map[string]Workload{
		"document": {
			About: "two pages that many clients read and few change: a read-write lock", Lock: "document", Kind: locks.ReadWrite, Invariant: invariant.Document{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Document{Config: c} },
		},
		"controller": {
			About: "a leader marks each of its changes with its generation: an election", Lock: "controller", Kind: locks.Election, Invariant: invariant.Controller{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Controller{Config: c} },
		},
		"rate": {
			About: "a limited number of clients work at the same time: a semaphore", Lock: "rate", Kind: locks.Semaphore, Invariant: invariant.Rate{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Rate{Config: c} },
		},
		"pool": {
			About: "a limited number of connections are lent, each to one client: semaphores of two sizes", Lock: "pool", Kind: locks.Semaphore, Invariant: invariant.Pool{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Pool{Config: c} },
		},
		"start-gate": {
			About: "all clients start when everything is prepared: latches", Lock: "start-gate", Kind: locks.CountDownLatch, Invariant: invariant.StartGate{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewStartGate(c) },
		},
		"fan-in": {
			About: "one client collects the results when all clients have done their parts: latches", Lock: "fan-in", Kind: locks.CountDownLatch, Counts: true, Invariant: invariant.FanIn{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewFanIn(c) },
		},
		"phases": {
			About: "all clients work in phases, and none is a phase ahead of the others: a double barrier", Lock: "phases", Kind: locks.DoubleBarrier, Invariant: invariant.Phases{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewPhases(c) },
		},
	}
}
