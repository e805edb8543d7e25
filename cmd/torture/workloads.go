package main

import (
	"locktorture/harness"
	"locktorture/registry"
	"locktorture/workloads"
)

// allWorkloads stands for every workload that the lock can be put under, in turn.
const allWorkloads = "all"

// workloadsOf are the workloads of a run. What a driver can do is known only once it runs: of
// all those that any lock can be put under are taken.
func workloadsOf(s runSpec, b registry.Backend) []string {
	if s.Workload != allWorkloads {
		return []string{s.Workload}
	}
	return registry.WorkloadsFor(b.Driver == nil && b.Traits.Reentrant)
}

// load is the workload of a run, and when its sections begin.
func (s *runSpec) load() (workloads.Workload, harness.Arrivals, error) {
	arrivals, err := s.arrivals()
	if err != nil {
		return nil, arrivals, err
	}
	c, err := s.config()
	if err != nil {
		return nil, arrivals, err
	}
	return registry.Workloads()[s.Workload].Make(c, s.Locks, s.Keys), arrivals, nil
}
