package runs

import (
	"locktorture/harness"
	"locktorture/locks"
	"locktorture/registry"
	"locktorture/workloads"
)

// allWorkloads stands for every workload that the lock can be put under, in turn.
const allWorkloads = "all"

// workloads are those that the flags ask for. Where nobody asked for one it is the usual one
// of what the lock offers. All, of a driver, are those that any lock can be put under: what
// else it can do is known only once it runs.
func (s Spec) workloads(b registry.Backend, asked bool) []string {
	switch {
	case s.Workloads != allWorkloads && asked:
		return []string{s.Workloads}
	case s.Workloads != allWorkloads:
		return registry.OfKind([]string{s.Workloads}, b.Traits)
	}
	if b.Driver != nil {
		return registry.WorkloadsFor(locks.Traits{})
	}
	return registry.WorkloadsFor(b.Traits)
}

// load is the workload of a run, and when its sections begin.
func (s Run) load() (workloads.Workload, harness.Arrivals, error) {
	arrivals, err := s.arrivals()
	if err != nil {
		return nil, arrivals, err
	}
	c, err := s.config()
	if err != nil {
		return nil, arrivals, err
	}
	c.Clients, c.Single = s.Clients, s.Lock.Traits.Single
	return registry.Workloads()[s.Workload].Make(c, s.Locks, s.Keys), arrivals, nil
}
