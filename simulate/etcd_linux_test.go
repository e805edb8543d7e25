package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
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
	o.Workload = works()[t.Kind]
	o.Locks = []string{o.Workload}
	o.Own = &inside.Own{Server: inside.Etcd, Nodes: nodes, Traits: t}
	o.TTL, o.Duration, o.FreeWithin = 2*time.Second, 3*time.Second, 6*time.Second
	o.Fencing = trial.UsualFencing(t)
	return o
}

var etcdGuests = sync.OnceValues(func() (all [2]*machine.Program, err error) {
	var failed error
	all[0], err = machine.LoadClients(context.Background())
	all[1], _, failed = machine.LoadServer(context.Background(), "", machine.Etcd(), "")
	return all, errors.Join(err, failed)
})

// bytesOnly names all that is sent on a connection alike. The names of etcd's messages would make this
// package require their decoder.
func bytesOnly() func(bool, []byte) []string {
	return func(bool, []byte) []string { return []string{"bytes"} }
}

// promised is what both locks promise. Their own declarations would make this package require the
// clients of etcd.
var promised = locks.Traits{Kind: locks.Exclusive, Token: true, Renews: true, Wait: "watch", Validity: "lease", LeastTTL: time.Second, Model: "fenced"}

// playEtcd plays an order with servers that are guests.
func playEtcd(ctx context.Context, t testing.TB, o inside.Order, lines ...string) (history.History, *simulate.Result) {
	t.Helper()
	g, err := etcdGuests()
	if errors.Is(err, machine.ErrKind) && runtime.GOARCH != "amd64" {
		t.Skip(err)
	}
	must(t, err)
	var h history.History
	r, err := simulate.Run(ctx, simulate.Config{
		Order: o, Program: guest(t), Driver: g[0], Cluster: &simulate.Cluster{Program: g[1], Disks: t.TempDir(), Names: bytesOnly}, Schedule: parsed(t, lines...),
		Record: func(op history.Op) error {
			h = append(h, op)
			return nil
		},
	})
	must(t, err)
	return h, r
}

// Locks of all kinds on etcd are taken and released in virtual time, on one server and on three, by
// unmodified servers and clients. A seed gives the same events, bit by bit.
func TestEtcd(t *testing.T) {
	latch := locks.Traits{Kind: locks.CountDownLatch, Single: true, Wait: "watch", Model: "latch"}
	barrier := locks.Traits{Kind: locks.DoubleBarrier, Renews: true, Wait: "watch", Validity: "session", LeastTTL: time.Second, Model: "barrier"}
	for _, c := range []struct {
		backend string
		nodes   int
		traits  locks.Traits
	}{
		{"etcd", 1, promised},
		{"etcd", 3, promised},
		{"etcd-concurrency", 3, promised},
		{"etcd-barrier", 3, latch},
		{"etcd-double-barrier", 3, barrier},
	} {
		var sums []string
		for seed := range uint64(2) {
			h, r := playEtcd(t.Context(), t, onEtcd(c.backend, c.nodes, c.traits, seed+1))
			_, again := playEtcd(t.Context(), t, onEtcd(c.backend, c.nodes, c.traits, seed+1))
			if r.Sum() != again.Sum() {
				t.Errorf("%s on %d: %s, and again %s", c.backend, c.nodes, r.Sum(), again.Sum())
			}
			sums = append(sums, r.Sum())
			grants := granted(h)
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

// lateGrants returns the number of grants after the last fault. Each fault must have struck.
func lateGrants(t *testing.T, h history.History, r *simulate.Result) (late int) {
	t.Helper()
	last := int64(0)
	for _, s := range r.Struck {
		if s.At == simulate.Never {
			t.Errorf("%v did not strike: %s", s.Decision, s.Why)
		}
		last = max(last, s.At, s.Healed)
	}
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.OK && op.Time > last {
			late++
		}
	}
	return late
}

// Each kind of fault strikes clients and servers of etcd, the lock is granted afterwards, and the same
// schedule gives the same events.
func TestFaultsOnEtcd(t *testing.T) {
	lines := []string{
		"at c1 gate write #2: pause for=2500ms",
		"at c2 gate read #2: kill",
		"at c3 gate read #2: stop nodes=1,2 for=700ms",
		"at c3 gate begin #4: restart nodes=3 for=300ms",
		"at c3 gate write #5: restart nodes=1,2,3 for=200ms",
		"at c3 gate write #6: reset nodes=1,2,3",
		"at c2 send bytes etcd #4: hold for=300ms",
		"at c1 reply bytes etcd #6: drop for=200ms",
		"at c3 send bytes etcd #9: reorder for=50ms",
		"at c1 gate write #4: cut nodes=1,2 for=900ms",
		"at c2 gate read #4: cut nodes=1,2,3 for=700ms",
		"at c1 gate read #5: fsync nodes=3 for=600ms",
		"at c2 gate read #5: compact",
		"at c3 gate read #5: revoke",
	}
	o := onEtcd("etcd", 3, promised, 1)
	o.Duration = 14 * time.Second
	h, r := playEtcd(t.Context(), t, o, lines...)
	late := lateGrants(t, h, r)
	if late < 5 {
		t.Errorf("%d grants after the last fault, of %d", late, granted(h))
	}
	if _, again := playEtcd(t.Context(), t, o, lines...); r.Sum() != again.Sum() {
		t.Errorf("%s, and again %s", r.Sum(), again.Sum())
	}
	for _, line := range []string{"at c1 gate write #1: clock nodes=1 by=1s for=1s", "at c1 gate write #1: restart nodes=1 for=1s data=lost"} {
		_, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: guest(t), Cluster: &simulate.Cluster{Disks: t.TempDir()}, Schedule: parsed(t, line)})
		if err == nil || !strings.Contains(err.Error(), "fault 1") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// Nothing is granted while no server's disk finishes an fsync, and locks are granted afterwards. A
// Redis has no disk.
func TestSlowDisks(t *testing.T) {
	line := "at c2 gate read #2: fsync nodes=1,2,3 for=1200ms"
	o := onEtcd("etcd", 3, promised, 1)
	h, r := playEtcd(t.Context(), t, o, line)
	s := r.Struck[0]
	if s.At == simulate.Never || s.Healed-s.At < int64(time.Second) {
		t.Fatalf("%v struck at %d, healed at %d: %s", s.Decision, s.At, s.Healed, s.Why)
	}
	before, during, after := 0, 0, 0
	for _, op := range h {
		switch {
		case op.F != history.Acquire || op.Type != history.OK:
		case op.Time > s.Healed:
			after++
		case op.Time > s.At+int64(100*time.Millisecond): // what was under way is over
			during++
		default:
			before++
		}
	}
	if before == 0 || during > 0 || after < 5 {
		t.Errorf("%d grants before the fault, %d during it, %d afterwards", before, during, after)
	}
	_, err := simulate.Run(t.Context(), simulate.Config{
		Order: order("redlock", 1), Program: guest(t), Servers: servers(t, "redlock"), Schedule: parsed(t, line),
	})
	if err == nil || !strings.Contains(err.Error(), "only servers of a cluster") {
		t.Errorf("on Redis: %v", err)
	}
}

// A server of etcd ends once an fsync fails, and starts again when its disk works again.
func TestFailingDisks(t *testing.T) {
	for nodes, ended := range map[string]int{"1,2,3": 2, "3": 1} { // the third has nothing to write without a leader
		o := onEtcd("etcd", 3, promised, 1)
		o.TTL, o.Duration = 500*time.Millisecond, 5*time.Second
		h, r := playEtcd(t.Context(), t, o, "at c2 gate read #2: eio nodes="+nodes+" for=900ms")
		s := r.Struck[0]
		after := 0
		for _, op := range h {
			if op.F == history.Acquire && op.Type == history.OK && op.Time > s.Healed {
				after++
			}
		}
		if s.At == simulate.Never || after < 5 || len(r.Ended) < ended || !strings.Contains(r.Ended[0].Why, "input/output error") {
			t.Errorf("nodes %s: struck at %d, healed at %d, %d grants afterwards, servers ended: %+v", nodes, s.At, s.Healed, after, r.Ended)
		}
	}
}

// What all disks only pretended to keep is gone when the power fails: tokens are given out again. One
// server that comes back with less than it had confirmed notices that, and ends; the others go on.
func TestPowerLoss(t *testing.T) {
	for nodes, lost := range map[string]bool{"1,2,3": true, "2": false} {
		o := onEtcd("etcd", 3, promised, 1)
		o.TTL, o.Duration = 500*time.Millisecond, 5*time.Second
		line := "at c2 gate read #2: power nodes=" + nodes + " for=900ms"
		h, r := playEtcd(t.Context(), t, o, line)
		s := r.Struck[0]
		if s.At == simulate.Never || s.Healed-s.At < int64(900*time.Millisecond) {
			t.Fatalf("%v struck at %d, healed at %d: %s", s.Decision, s.At, s.Healed, s.Why)
		}
		most, again, after := uint64(0), 0, 0
		for _, op := range h {
			if op.F != history.Acquire || op.Type != history.OK {
				continue
			}
			if op.Time > s.Healed {
				after++
			}
			if op.Token <= most {
				again++
			}
			most = max(most, op.Token)
		}
		if after < 5 || (again > 0) != lost {
			t.Errorf("nodes %s: %d grants after the loss, %d tokens that are not above all before", nodes, after, again)
		}
		if lost != (len(r.Ended) == 0) || !lost && !strings.Contains(r.Ended[0].Why, "log corrupted, truncated, or lost") {
			t.Errorf("nodes %s: servers ended: %+v", nodes, r.Ended)
		}
		if _, again := playEtcd(t.Context(), t, o, line); r.Sum() != again.Sum() {
			t.Errorf("%s, and again %s", r.Sum(), again.Sum())
		}
	}
}

// A fault of the leader strikes whichever server leads: after it is cut off, the one that was elected
// meanwhile.
func TestLeaderStruck(t *testing.T) {
	o := onEtcd("etcd", 3, promised, 1)
	o.TTL, o.Duration = 500*time.Millisecond, 5*time.Second
	h, r := playEtcd(t.Context(), t, o, "at c1 gate read #1: cut nodes=leader for=3s", "at c2 gate read #10: fsync nodes=leader for=100ms")
	var struck []string
	for _, op := range h {
		if op.F == history.Fault {
			struck = append(struck, op.Nodes()...)
		}
	}
	if len(struck) != 2 || struck[0] == struck[1] {
		t.Errorf("%v were struck: %+v", struck, r.Struck)
	}
}

// A run that is interrupted before its servers serve ends at once, in order.
func TestEtcdInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	h, r := playEtcd(ctx, t, onEtcd("etcd", 3, promised, 1))
	if len(h) == 0 || h[len(h)-1].F != history.End || h[len(h)-1].Value != history.Interrupted {
		t.Errorf("the history is %+v", h)
	}
	if r.Virtual > 5*time.Second {
		t.Errorf("it ended after %v", r.Virtual)
	}
}

// Locks on etcd, with faults and without, have one hash in each run of each process, too. make
// determinism plays all of them, and make test a few.
func TestDeterminismOnEtcd(t *testing.T) {
	backends := []string{"etcd", "etcd-api", "etcd-concurrency", "etcd-election", "etcd-put"}
	schedules := [][]string{
		nil,
		{"at c1 gate write #1: pause for=1200ms", "at c2 gate begin #2: restart nodes=2 for=100ms"},
		{"at c1 send bytes etcd #9: hold nodes=1,2,3 for=1s", "at c2 gate read #1: kill"},
		{"at c2 gate read #1: power nodes=1,2,3 for=900ms", "at c1 gate work #2: cut nodes=1 for=700ms"},
	}
	if *runs == 1 {
		backends, schedules = backends[:3], schedules[1:]
	}
	var lines []string
	for _, backend := range backends {
		for _, faults := range schedules {
			for seed := range uint64(2) {
				o := onEtcd(backend, 3, promised, seed+1)
				o.Fencing = "off" // those of etcd-api carry no tokens
				o.Own.Traits.Token = false
				o.Clients, o.Duration, o.Hold, o.Think = 2, 2*time.Second, "50ms", "20ms"
				lines = append(lines, again(t, fmt.Sprintf("%s, %q, seed %d", backend, faults, seed+1), func() string {
					_, r := playEtcd(t.Context(), t, o, faults...)
					return r.Sum()
				}))
			}
		}
	}
	determined(t, lines)
}

// TestReleaseInDoubt: a lock that never renews its lease does not report success for the release of
// an expired lease, even if the answer to the first try was lost.
func TestReleaseInDoubt(t *testing.T) {
	traits := locks.Traits{Token: true, Wait: "server", Bounded: true, Validity: "lease TTL", LeastTTL: time.Second, Model: "fenced"}
	o := onEtcd("etcd-api", 1, traits, 1)
	o.Clients, o.Sections, o.TTL, o.Hold, o.Careful = 1, 1, time.Second, "2500ms", false
	doubts := 0
	for n := 1; n <= 16; n++ {
		h, _ := playEtcd(t.Context(), t, o, fmt.Sprintf("at c1 reply bytes etcd #%d: drop for=300ms", n))
		for _, op := range h {
			switch {
			case op.F != history.Release:
			case op.Type == history.OK:
				t.Errorf("reply %d lost: the release at %v succeeded", n, time.Duration(op.Time))
			case op.Type == history.Info:
				doubts++
			}
		}
	}
	if doubts == 0 {
		t.Error("no release was in doubt")
	}
}
