package registry_test

import (
	"testing"

	"locktorture/registry"
	"locktorture/simulate/inside"
	"locktorture/workloads"
)

// Every lock on plain Redis whose library is compiled into torture can be simulated.
func TestLocksCanBeSimulated(t *testing.T) {
	simulated := inside.Locks()
	if len(simulated) < 20 {
		t.Errorf("only %d locks can be simulated", len(simulated))
	}
	known := registry.Locks()
	for name := range simulated {
		if _, ok := known[name]; !ok {
			t.Errorf("the registry has no %s", name)
		}
	}
	for name, b := range known {
		if _, ok := simulated[name]; !ok && b.Program == "" && (b.Topology == "redis" || b.Topology == "redis-5") {
			t.Errorf("%s cannot be explored: put it into the table of package registry/onredis", name)
		}
	}
}

// Mutants on Redis and their twins can be simulated as well.
func TestMutantsCanBeSimulated(t *testing.T) {
	found := 0
	for name, b := range registry.Mutants() {
		_, ok := inside.Find(name)
		if want := b.Serve == nil; ok != want {
			t.Errorf("%s can be simulated: %v, want %v", name, ok, want)
		}
		if ok {
			found++
		}
	}
	if found < 35 {
		t.Errorf("only %d mutants and twins can be simulated", found)
	}
}

// Every workload can be made and judged, and those that need only a store in memory can be simulated.
func TestWorkloadsCanBeSimulated(t *testing.T) {
	simulated := workloads.InMemory()
	for name, w := range registry.Workloads() {
		if w.New == nil || w.Invariant == nil {
			t.Errorf("%s has a row in only one of registry/workloads.go and workloads/inmemory.go", name)
		}
		_, ok := simulated[name]
		if want := w.Store == "" || w.Store == "memory"; ok != want {
			t.Errorf("%s: it can be simulated: %v, want %v; put its constructor into workloads/inmemory.go", name, ok, want)
		}
	}
}
