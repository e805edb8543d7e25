package main

import (
	"locktorture/harness"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/workloads"
)

// allWorkloads stands for every workload that the lock can be put under, in turn.
const allWorkloads = "all"

// workloads are those that the flags ask for. What a driver can do is known only once it runs: of
// all those that any lock can be put under are taken.
func (s *runSpec) workloads(b registry.Backend) []string {
	if s.Workloads != allWorkloads {
		return []string{s.Workloads}
	}
	if b.Driver != nil {
		return registry.WorkloadsFor(locks.Traits{})
	}
	return registry.WorkloadsFor(b.Traits)
}

// load is the workload of a run, and when its sections begin.
func (s run) load() (workloads.Workload, harness.Arrivals, error) {
	arrivals, err := s.arrivals()
	if err != nil {
		return nil, arrivals, err
	}
	c, err := s.config()
	if err != nil {
		return nil, arrivals, err
	}
	return registry.Workloads()[s.workload].Make(c, s.Locks, s.Keys), arrivals, nil
}
