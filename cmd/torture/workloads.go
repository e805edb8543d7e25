package main

import (
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/workloads"
)

// A workloadEntry pairs a workload with the invariant that judges it.
type workloadEntry struct {
	About     string
	Lock      string // what its lock is called
	Least     int    // locks that a section needs, if more than one
	Reenters  bool   // its sections take their lock again: the lock must be reentrant
	Store     string // the store that it works on if none is named; "": memory
	New       func(c workloads.Config) workloads.Workload
	Invariant checker.Invariant
}

// workloadsByName is the registry of workloads.
func workloadsByName() map[string]workloadEntry {
	return map[string]workloadEntry{
		"counter": {
			About: "read, add one, write: lost updates", Lock: "counter", Invariant: checker.CounterInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Counter{Config: c} },
		},
		"seckill": {
			About: "a flash sale: few units, many users, one order for each user", Lock: "seckill", Invariant: checker.SeckillInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Seckill{Config: c} },
		},
		"statemachine": {
			About: "an order: created, paid, shipped, done, each step once", Lock: "order", Invariant: checker.StateMachineInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.StateMachine{Config: c} },
		},
		"idempotent-submit": {
			About: "a request that impatient users repeat, executed once", Lock: "submit", Invariant: checker.IdempotentSubmitInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.IdempotentSubmit{Config: c} },
		},
		"scheduler": {
			About: "a job that fires on all instances and runs on one", Lock: "scheduler", Invariant: checker.SchedulerInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Scheduler{Config: c} },
		},
		"id-allocation": {
			About: "Snowflake worker ids: one holder each, ids made once", Lock: "ids", Invariant: checker.IDAllocationInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.IDAllocation{Config: c} },
		},
		"cache-rebuild": {
			About: "an expired cache: one client asks the database", Lock: "cache", Invariant: checker.CacheRebuildInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.CacheRebuild{Config: c} },
		},
		"config-rollout": {
			About: "versions of a configuration reach every node, in order", Lock: "config", Invariant: checker.ConfigRolloutInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.ConfigRollout{Config: c} },
		},
		"file-append": {
			About: "records of several blocks appended to a shared file", Lock: "file", Store: "file", Invariant: checker.FileAppendInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.FileAppend{Config: c} },
		},
		"leader": {
			About: "leader election: one leader acts at a time", Lock: "leader", Invariant: checker.LeaderInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Leader{Config: c} },
		},
		"session": {
			About: "one field of a document changed, the others kept", Lock: "session", Invariant: checker.SessionInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Session{Config: c} },
		},
		"transfer": {
			About: "money between accounts, under two locks", Lock: "account", Least: 3, Invariant: checker.TransferInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Transfer{Config: c} },
		},
		"queue-consumer": {
			About: "messages handled once and in order", Lock: "queue", Invariant: checker.QueueConsumerInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.QueueConsumer{Config: c} },
		},
		"reentry": {
			About: "a method that takes the lock which its caller holds", Lock: "reentry", Reenters: true, Invariant: checker.CounterInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Reentry{Config: c} },
		},
		"register": {
			About: "plain reads and writes: the baseline", Lock: "register", Invariant: checker.RegisterInvariant{},
			New: func(c workloads.Config) workloads.Workload { return workloads.Register{Config: c} },
		},
	}
}

// allWorkloads stands for every workload that the lock can be put under, in turn.
const allWorkloads = "all"

// workloadsOf are the workloads of a run. What a driver can do is known only once it runs: of
// all those that any lock can be put under are taken.
func workloadsOf(s runSpec) []string {
	if s.Workload != allWorkloads {
		return []string{s.Workload}
	}
	b, err := s.lookup()
	return workloadsFor(err == nil && b.External == nil && b.Traits.Reentrant)
}

// workloadsFor are the names of the workloads for locks that are reentrant, or are not.
func workloadsFor(reentrant bool) []string {
	var names []string
	for name, w := range workloadsByName() {
		if reentrant || !w.Reenters {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// load is the workload of a run, and when its sections begin.
func (s *runSpec) load() (workloads.Workload, harness.Arrivals, error) {
	entry, n := workloadsByName()[s.Workload], s.Locks
	if n == 1 {
		n = max(n, entry.Least)
	}
	arrivals, err := s.arrivals()
	if err != nil {
		return nil, arrivals, err
	}
	c, err := s.config()
	if err != nil {
		return nil, arrivals, err
	}
	c.Locks = lockNames(entry.Lock, n)
	w := entry.New(c)
	if s.Keys > 1 {
		w = workloads.Keyed{Workload: w, Keys: s.Keys, Hot: s.Hot}
	}
	return w, arrivals, nil
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
