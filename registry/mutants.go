package registry

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/mutants"
	"locktorture/registry/onredis"
)

// The prefixes of the names of mutants and of their twins as backends.
const (
	MutantPrefix = mutants.Prefix
	TwinPrefix   = mutants.TwinPrefix
)

// MutantRows returns all mutants, in the order of their families.
func MutantRows() []mutants.Mutant {
	rows := mutants.Mutants()
	slices.SortStableFunc(rows, func(a, b mutants.Mutant) int { return cmp.Compare(a.Family, b.Family) })
	return rows
}

// Mutants returns the locks that are broken on purpose, and their twins. They are not
// part of the usual list of backends; "torture list mutants" shows them.
func Mutants() map[string]Backend {
	all := map[string]Backend{}
	for family, about := range mutants.Families() {
		all[TwinPrefix+family] = familyBackend(family, "", about)
	}
	for _, m := range MutantRows() {
		all[MutantPrefix+string(m.Switch)] = familyBackend(m.Family, m.Switch, m.Broken)
	}
	for name, b := range all {
		b.Name = name
		all[name] = b
	}
	return all
}

// Find returns the backend with a name from among, or else the mutant or the twin with this name.
func Find(name string, among map[string]Backend) (Backend, bool) {
	if b, ok := among[name]; ok {
		return b, true
	}
	b, ok := Mutants()[name]
	return b, ok
}

// familyBackend returns the mutant of a family with the switch s, or the family's twin if s is "".
func familyBackend(family string, s mutants.Switch, about string) Backend {
	var b Backend
	if l, ok := onredis.OfFamily(family, s, firedCounter); ok {
		b = onRedis(l)
		b.Replicated = ""
		if family == mutants.FamilyReaders || family == mutants.FamilyPermits {
			b.ProbeWith = probeHolds
		}
	} else {
		b = queueBackend(family, s)
	}
	b.About = about
	b.Spared = map[string]string{"clock": "the twin of a mutant breaks under it as well: its leases run on the servers' clocks"}
	return b.Through(Args{})
}

// queueBackend returns a backend of a family whose lock server is part of the harness.
func queueBackend(family string, s mutants.Switch) Backend {
	kin := mutants.ByName()[family]
	b := Backend{
		Traits: kin.Traits(), Without: "the lock server is part of the harness",
		Serve: func() (*cluster.Cluster, error) { return serveQueue(s) },
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return kin.New(mutants.Config{
				Addrs: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Clock: a.Clock, Access: a.Access, Switch: s, Fired: firedCounter(),
			}), nil
		},
	}
	switch family {
	case mutants.FamilyElection: // no prober: clients ask for the leader themselves
	case mutants.FamilyQueueRW:
		b.ProbeWith = func(c *cluster.Cluster, _ Args) (locks.Prober, error) {
			return mutants.NewQueueHoldsProbe(c.Endpoints(0)[0], "queue"), nil
		}
	default:
		b.ProbeWith = func(c *cluster.Cluster, _ Args) (locks.Prober, error) {
			return mutants.NewQueueProbe(c.Endpoints(0)[0], "queue"), nil
		}
	}
	return b
}

// probeHolds lists the holders of a lock that is a sorted set of one Redis.
func probeHolds(c *cluster.Cluster, a Args) (locks.Prober, error) {
	n := redisNodes(c, a)[0]
	return mutants.NewHoldsProbe(n.Addr, n.Name, a.Access), nil
}

// serveQueue starts the lock server of the queues.
func serveQueue(s mutants.Switch) (*cluster.Cluster, error) {
	q, err := mutants.ListenQueue(mutants.Config{Switch: s, Fired: firedCounter()})
	if err != nil {
		return nil, err
	}
	return cluster.Bare("queue", []string{q.Addr()}, q.Close), nil
}

// FiredLine begins the lines in which a mutant says how often its switch has mattered so far.
const FiredLine = "mutant fired "

// firedCounter returns a function that counts its calls, and prints the count to
// stderr at each power of two, because a killed process cannot print it at its end.
func firedCounter() func() {
	var mu sync.Mutex
	n := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if n++; n&(n-1) == 0 {
			fmt.Fprintf(os.Stderr, "%s%d\n", FiredLine, n)
		}
	}
}
