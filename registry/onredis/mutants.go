package onredis

import (
	"strings"
	"time"

	"locktorture/locks"
	"locktorture/locks/mutants"
	"locktorture/locks/redis"
)

// Find returns the lock with a name: one of Locks, a mutant, or a twin.
func Find(name string) (Lock, bool) {
	if l, ok := Locks()[name]; ok {
		return l, true
	}
	if family, ok := strings.CutPrefix(name, mutants.TwinPrefix); ok {
		return OfFamily(family, "", nil)
	}
	for _, m := range mutants.Mutants() {
		if name == mutants.Prefix+string(m.Switch) {
			return OfFamily(m.Family, m.Switch, nil)
		}
	}
	return Lock{}, false
}

// OfFamily returns the mutant of a family with the switch s, or the family's twin if s is "";
// false if the family is not on Redis. fired returns the function that a client calls each time
// its switch matters; it may be nil.
func OfFamily(family string, s mutants.Switch, fired func() func()) (Lock, bool) {
	kin, ok := mutants.ByName()[family]
	nodes := 1
	switch family {
	case mutants.FamilyQuorum:
		nodes = 5
	case mutants.FamilyQueue, mutants.FamilySession, mutants.FamilyQueueRW, mutants.FamilyElection:
		ok = false
	}
	if !ok {
		return Lock{}, false
	}
	return Lock{
		Nodes: nodes, Traits: kin.Traits(), Retry: 10 * time.Millisecond, Probe: redis.NewProbe,
		Open: func(a Args) (locks.Locker, error) {
			c := mutants.Config{Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Clock: a.Clock, Access: a.Access, Switch: s}
			if fired != nil {
				c.Fired = fired()
			}
			return kin.New(c), nil
		},
	}, true
}
