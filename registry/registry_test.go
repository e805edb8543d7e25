package registry_test

import (
	"maps"
	"slices"
	"testing"

	"locktorture/bench/raw"
	"locktorture/locks"
	"locktorture/registry"
)

// What an entry names must exist, and what users read must be there.
func TestLocks(t *testing.T) {
	all, topologies := registry.Locks(), registry.Topologies()
	for name, b := range all {
		if b.Name != name || b.About == "" || b.Open == nil || b.Traits.Model == "" {
			t.Errorf("%s: called %q, about %q, model %q: each lock has a name, a description, a constructor and a model", name, b.Name, b.About, b.Traits.Model)
		}
		if (b.Serve == nil) == (b.Without != "") || (b.Serve == nil) == (b.Topology == "") {
			t.Errorf("%s: topology %q, without %q: a lock has a topology, or says why it needs no servers", name, b.Topology, b.Without)
		}
		for _, topology := range []string{b.Topology, b.Replicated} {
			if topology != "" && !slices.Contains(topologies, topology) {
				t.Errorf("%s: no topology is called %q", name, topology)
			}
		}
		if peer, ok := all[b.Peer]; b.Peer != "" && (!ok || peer.Topology != b.Topology) {
			t.Errorf("%s: its peer %q is no lock on %s", name, b.Peer, b.Topology)
		}
		if _, ok := raw.Kinds()[b.Bare]; b.Bare != "" && !ok {
			t.Errorf("%s: no bare commands are called %q", name, b.Bare)
		}
	}
}

// Every workload says what its lock is called, and which store it works on.
func TestWorkloads(t *testing.T) {
	for name, w := range registry.Workloads() {
		if w.About == "" || w.Lock == "" || w.New == nil || w.Invariant == nil {
			t.Errorf("%s: about %q, lock %q: each workload has a description, a lock, a constructor and an invariant", name, w.About, w.Lock)
		}
		if _, ok := registry.Stores()[registry.StoreOf(name)]; !ok {
			t.Errorf("%s: no store is called %q", name, registry.StoreOf(name))
		}
	}
	for _, tt := range []struct {
		traits        locks.Traits
		with, without []string
	}{
		{locks.Traits{}, []string{"counter"}, []string{"reentry", "document", "rate"}},
		{locks.Traits{Reentrant: true}, []string{"counter", "reentry"}, []string{"document", "rate"}},
		{locks.Traits{Kind: locks.ReadWrite}, []string{"counter", "document"}, []string{"reentry", "rate"}},
		{locks.Traits{Kind: locks.Election}, []string{"counter", "leader", "controller"}, []string{"reentry", "document", "rate"}},
		{locks.Traits{Kind: locks.Semaphore}, []string{"rate", "pool"}, []string{"counter", "reentry", "document"}},
	} {
		got := registry.WorkloadsFor(tt.traits)
		for _, name := range tt.with {
			if !slices.Contains(got, name) {
				t.Errorf("%+v: %v, without %s", tt.traits, got, name)
			}
		}
		for _, name := range tt.without {
			if slices.Contains(got, name) {
				t.Errorf("%+v: %v, with %s", tt.traits, got, name)
			}
		}
	}
}

// In a table of locks each is put under what it offers.
func TestOfKind(t *testing.T) {
	asked := []string{"counter", "reentry"}
	for _, tt := range []struct {
		traits locks.Traits
		want   []string
	}{
		{locks.Traits{}, []string{"counter"}},
		{locks.Traits{Reentrant: true}, asked},
		{locks.Traits{Kind: locks.ReadWrite}, []string{"document"}},
		{locks.Traits{Kind: locks.Election}, []string{"controller"}},
		{locks.Traits{Kind: locks.Semaphore}, []string{"rate"}},
	} {
		if got := registry.OfKind(asked, tt.traits); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: %v, want %v", tt.traits, got, tt.want)
		}
		if name := registry.UsualWorkload(tt.traits.Kind); registry.Workloads()[name].Cannot(tt.traits) != "" {
			t.Errorf("the usual workload %s does not go with the kind %q", name, tt.traits.Kind)
		}
	}
}

// Mutants and twins are found by their names, and are in no list of locks.
func TestMutants(t *testing.T) {
	all := registry.Locks()
	for name, b := range registry.Mutants() {
		if _, listed := all[name]; listed || b.Name != name || b.Spared["clock"] == "" {
			t.Errorf("%s: called %q, listed %v, spared %v", name, b.Name, listed, b.Spared)
		}
		if found, ok := registry.Find(name, all); !ok || found.About != b.About {
			t.Errorf("%s is not found", name)
		}
	}
	if len(slices.Collect(maps.Keys(all))) < 40 {
		t.Errorf("%d locks", len(all))
	}
}
