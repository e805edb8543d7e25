package registry_test

import (
	"reflect"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/simulate/inside"
	"locktorture/workloads"
)

// The simulator's locks match the registry: the same traits, and openers that make the same.
func TestLocksAsInRegistry(t *testing.T) {
	known := registry.Locks()
	for name, l := range inside.Locks() {
		b, ok := known[name]
		if !ok {
			t.Errorf("the registry has no %s", name)
			continue
		}
		if !sameTraits(b.Traits, l.Traits) {
			t.Errorf("%s: traits %+v, the registry has %+v", name, l.Traits, b.Traits)
		}
		if topology := map[int]string{1: "redis", 5: "redis-5"}[l.Nodes]; topology != b.Topology {
			t.Errorf("%s: %d servers, in the registry it runs on %s", name, l.Nodes, b.Topology)
		}
		if l.Retry != b.Retry || (l.Probe == nil) != (b.Prober == nil) {
			t.Errorf("%s: retry %v and probe %v, the registry has %v and %v", name, l.Retry, l.Probe != nil, b.Retry, b.Prober != nil)
		}
		if name == "rueidislock" {
			continue // it connects when it is opened
		}
		sameType(t, name, b, l)
	}
}

// sameType opens both, which connects to nobody yet.
func sameType(t *testing.T, name string, b registry.Backend, l inside.Lock) {
	var addrs []string
	for n := range l.Nodes {
		addrs = append(addrs, inside.ServerAddr(n+1))
	}
	theirs, err := b.Open(t.Context(), registry.Args{Endpoints: addrs, TTL: time.Second, Owner: "p1", Clock: &locks.SkewedClock{}})
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	ours, err := l.Open(driver.Open{Endpoints: addrs, TTL: time.Second, Process: 1}, &locks.SkewedClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	if a, b := reflect.TypeOf(ours), reflect.TypeOf(theirs); a != b {
		t.Errorf("%s: %v, the registry makes %v", name, a, b)
	}
}

// sameTraits compares all but functions, and those by what they say of some times.
func sameTraits(a, b locks.Traits) bool {
	for _, ttl := range []time.Duration{time.Millisecond, time.Second, time.Minute} {
		if (a.FreeWithin == nil) != (b.FreeWithin == nil) || a.FreeWithin != nil && a.FreeWithin(ttl) != b.FreeWithin(ttl) {
			return false
		}
	}
	a.FreeWithin, b.FreeWithin = nil, nil
	return reflect.DeepEqual(a, b)
}

// The simulator's mutants are the registry's mutants that are keys of Redis.
func TestMutantsAsInRegistry(t *testing.T) {
	found := 0
	for name, b := range registry.Mutants() {
		l, ok := inside.Find(name)
		if !ok {
			continue
		}
		found++
		if nodes := map[string]int{"redis": 1, "redis-5": 5}[b.Topology]; l.Nodes != nodes || !sameTraits(l.Traits, b.Traits) || l.Retry != b.Retry {
			t.Errorf("%s: %d nodes, %+v, retry %v; the registry has %s, %+v, %v", name, l.Nodes, l.Traits, l.Retry, b.Topology, b.Traits, b.Retry)
		}
	}
	if found < 35 {
		t.Errorf("only %d mutants and twins", found)
	}
}

// The workloads inside are those of the registry, and all whose sections hold a lock alone but
// the one on files.
func TestWorkloadsAsInRegistry(t *testing.T) {
	for name, w := range registry.Workloads() {
		ours, ok := inside.Workloads()[name]
		if want := w.Kind == locks.Exclusive && (w.Store == "" || w.Store == "memory"); ok != want {
			t.Errorf("%s: it can be simulated: %v, want %v", name, ok, want)
		}
		if !ok {
			continue
		}
		c := workloads.Config{Locks: []string{"a", "b", "c"}}
		if got, want := ours(c), w.New(c); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, the registry makes %+v", name, got, want)
		}
	}
}
