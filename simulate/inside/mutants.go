package inside

import (
	"strings"
	"time"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/mutants"
	"locktorture/locks/redis"
)

// Find finds a lock that can be simulated, among those of Locks, and the mutants and twins
// that are keys of Redis.
func Find(name string) (Lock, bool) {
	if l, ok := Locks()[name]; ok {
		return l, true
	}
	if family, ok := strings.CutPrefix(name, mutants.TwinPrefix); ok {
		return ofFamily(family, "")
	}
	for _, m := range mutants.Mutants() {
		if name == mutants.Prefix+string(m.Switch) {
			return ofFamily(m.Family, m.Switch)
		}
	}
	return Lock{}, false
}

// ofFamily is a mutant, or with no switch a twin, whose servers are Redis and that is held
// alone.
func ofFamily(family string, s mutants.Switch) (Lock, bool) {
	nodes := map[string]int{mutants.FamilyKey: 1, mutants.FamilyVague: 1, mutants.FamilyWatched: 1, mutants.FamilyReentrant: 1, mutants.FamilyNested: 1, mutants.FamilyQuorum: 5}[family]
	kin := mutants.ByName()[family]
	if nodes == 0 {
		return Lock{}, false
	}
	return Lock{
		Nodes: nodes, Traits: kin.Traits(), Retry: 10 * time.Millisecond, Probe: redis.NewProbe,
		Open: func(o driver.Open, clock locks.Clock) (locks.Locker, error) {
			return kin.New(mutants.Config{Addrs: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Switch: s}), nil
		},
	}, true
}
