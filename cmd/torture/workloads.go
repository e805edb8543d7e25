package main

import (
	"fmt"

	"locktorture/checker"
	"locktorture/workloads"
)

// A workloadEntry pairs a workload with the invariant that judges it.
type workloadEntry struct {
	About     string
	New       func(locks int) workloads.Workload
	Invariant checker.Invariant
}

// workloadsByName is the registry of workloads.
func workloadsByName() map[string]workloadEntry {
	config := func(base string, n int) workloads.Config {
		return workloads.Config{Locks: lockNames(base, n)}
	}
	return map[string]workloadEntry{
		"counter": {
			About:     "read, add one, write: lost updates",
			New:       func(n int) workloads.Workload { return workloads.Counter{Config: config("counter", n)} },
			Invariant: checker.CounterInvariant{},
		},
		"seckill": {
			About:     "a flash sale: few units, many users, one order for each user",
			New:       func(n int) workloads.Workload { return workloads.Seckill{Config: config("seckill", n)} },
			Invariant: checker.SeckillInvariant{},
		},
		"statemachine": {
			About:     "an order: created, paid, shipped, done, each step once",
			New:       func(n int) workloads.Workload { return workloads.StateMachine{Config: config("order", n)} },
			Invariant: checker.StateMachineInvariant{},
		},
	}
}

// lockNames are the names of n locks: base, or base-1 … base-n.
func lockNames(base string, n int) []string {
	if n == 1 {
		return []string{base}
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", base, i+1)
	}
	return names
}
