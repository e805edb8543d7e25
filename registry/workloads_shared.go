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
			About: "two pages read by many and changed by few: a read-write lock", Lock: "document", Kind: locks.ReadWrite, Invariant: invariant.Document{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Document{Config: c} },
		},
		"controller": {
			About: "a leader that changes things in the name of its generation: an election", Lock: "controller", Kind: locks.Election, Invariant: invariant.Controller{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Controller{Config: c} },
		},
		"rate": {
			About: "only so many clients at work at a time: a semaphore", Lock: "rate", Kind: locks.Semaphore, Invariant: invariant.Rate{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Rate{Config: c} },
		},
		"pool": {
			About: "only so many connections out at a time, each with one client: semaphores of two sizes", Lock: "pool", Kind: locks.Semaphore, Invariant: invariant.Pool{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Pool{Config: c} },
		},
		"start-gate": {
			About: "all start when everything is prepared: latches", Lock: "start-gate", Kind: locks.CountDownLatch, Invariant: invariant.StartGate{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewStartGate(c) },
		},
		"fan-in": {
			About: "one collects when all have done their parts: latches", Lock: "fan-in", Kind: locks.CountDownLatch, Counts: true, Invariant: invariant.FanIn{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewFanIn(c) },
		},
		"phases": {
			About: "all work in phases, and nobody is one ahead: a double barrier", Lock: "phases", Kind: locks.DoubleBarrier, Invariant: invariant.Phases{},
			New: func(c workloads.Config) workloads.Workload { return workloads.NewPhases(c) },
		},
	}
}
