package simulate_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/trial"
)

// onEtcd is a short run of a lock on a cluster of etcd.
func onEtcd(backend string, nodes int, t locks.Traits, seed uint64) inside.Order {
	o := order(backend, seed)
	o.Own = &inside.Own{Server: inside.Etcd, Nodes: nodes, Traits: t}
	o.TTL, o.Duration, o.FreeWithin = 2*time.Second, 3*time.Second, 6*time.Second
	o.Fencing = trial.UsualFencing(t)
	return o
}

var etcdGuests = sync.OnceValues(func() (all [2]*machine.Program, err error) {
	var failed error
	all[0], err = machine.LoadClients(context.Background())
	all[1], failed = machine.LoadServer(context.Background(), "guests/etcd")
	return all, errors.Join(err, failed)
})

// playEtcd plays an order with servers that are guests.
func playEtcd(t testing.TB, o inside.Order, lines ...string) (history.History, *simulate.Result) {
	t.Helper()
	g, err := etcdGuests()
	must(t, err)
	var h history.History
	r, err := simulate.Run(t.Context(), simulate.Config{
		Order: o, Program: guest(t), Driver: g[0], Cluster: &simulate.Cluster{Program: g[1], Disks: t.TempDir()}, Schedule: parsed(t, lines...),
		Record: func(op history.Op) error {
			h = append(h, op)
			return nil
		},
	})
	must(t, err)
	return h, r
}

// Locks on etcd are taken and released in virtual time, on one server and on three, by unmodified
// servers and clients. A seed gives the same events, bit by bit.
func TestEtcd(t *testing.T) {
	// What both promise. Their own declarations would make this package require the clients of etcd.
	traits := locks.Traits{Kind: locks.Exclusive, Token: true, Renews: true, Wait: "watch", Validity: "lease", LeastTTL: time.Second, Model: "fenced"}
	for _, c := range []struct {
		backend string
		nodes   int
		traits  locks.Traits
	}{
		{"etcd", 1, traits}, {"etcd", 3, traits}, {"etcd-concurrency", 3, traits},
	} {
		var sums []string
		for seed := range uint64(2) {
			h, r := playEtcd(t, onEtcd(c.backend, c.nodes, c.traits, seed+1))
			_, again := playEtcd(t, onEtcd(c.backend, c.nodes, c.traits, seed+1))
			if r.Sum() != again.Sum() {
				t.Errorf("%s on %d: %s, and again %s", c.backend, c.nodes, r.Sum(), again.Sum())
			}
			sums = append(sums, r.Sum())
			grants := 0
			for _, op := range h {
				if op.F == history.Acquire && op.Type == history.OK {
					grants++
				}
			}
			t.Logf("%s on %d, seed %d: %d grants, %s", c.backend, c.nodes, seed+1, grants, r.Sum())
			if grants < 20 {
				t.Errorf("%s on %d: %d grants", c.backend, c.nodes, grants)
			}
		}
		if slices.Compact(sums)[0] == sums[len(sums)-1] {
			t.Errorf("two seeds gave the same: %v", sums)
		}
	}
}
