package simulate_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/nats"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/trial"
)

// natsGuests are the harness, the clients and the server of a run on NATS.
var natsGuests = sync.OnceValues(func() (all [3]*machine.Program, err error) {
	var errs [3]error
	all[0], errs[0] = machine.LoadHarness(context.Background(), nil, "", machine.Native)
	all[1], errs[1] = machine.LoadDriver(context.Background(), "nats")
	all[2], _, errs[2] = machine.LoadServer(context.Background(), "", machine.NATS(), "")
	return all, errors.Join(errs[:]...)
})

// playNATS plays a short run of the lock nats on three servers.
func playNATS(t *testing.T, lines ...string) (history.History, *simulate.Result) {
	t.Helper()
	g, err := natsGuests()
	if errors.Is(err, machine.ErrKind) && runtime.GOARCH != "amd64" {
		t.Skip(err)
	}
	must(t, err)
	o := order("nats", 1)
	traits := nats.Traits()
	traits.Kind = locks.Exclusive
	o.Own = &inside.Own{Server: inside.NATS, Nodes: 3, Traits: traits}
	o.TTL, o.Duration, o.FreeWithin = 2*time.Second, 6*time.Second, traits.FreeWithin(2*time.Second)
	o.Fencing = trial.UsualFencing(traits)
	var h history.History
	r, err := simulate.Run(t.Context(), simulate.Config{
		Order: o, Program: g[0], Driver: g[1], Cluster: &simulate.Cluster{Program: g[2], Disks: t.TempDir()}, Schedule: parsed(t, lines...),
		Record: func(op history.Op) error {
			h = append(h, op)
			return nil
		},
	})
	must(t, err)
	return h, r
}

// tokens returns the tokens of all grants, in order.
func tokens(h history.History) (all []uint64) {
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.OK {
			all = append(all, op.Token)
		}
	}
	return all
}

// repeated reports whether a token was given out twice.
func repeated(all []uint64) bool {
	seen := map[uint64]bool{}
	for _, token := range all {
		if seen[token] {
			return true
		}
		seen[token] = true
	}
	return false
}

// A lock on NATS is taken and released in virtual time by unmodified servers and clients. The same
// order gives the same events, also with faults, and the lock is granted after them.
func TestNATS(t *testing.T) {
	for _, lines := range [][]string{
		nil,
		{
			"at c1 gate work #2: kill", "at c2 gate read #2: stop nodes=leader for=700ms", "at c3 gate read #2: restart nodes=2 for=300ms",
			"at c1 gate begin #4: fsync nodes=1 for=600ms", "at c2 gate begin #3: cut nodes=3 for=900ms", "at c3 gate begin #3: clock nodes=1,2,3 by=3s for=500ms",
		},
		{"at c1 gate work #2: restart nodes=1,2,3 for=300ms"},
	} {
		h, r := playNATS(t, lines...)
		if _, again := playNATS(t, lines...); r.Sum() != again.Sum() {
			t.Errorf("%v: %s, and again %s", lines, r.Sum(), again.Sum())
		}
		late := lateGrants(t, h, r)
		t.Logf("%v: %d grants, %d after the last fault, %s", lines, granted(h), late, r.Sum())
		if late < 3 || repeated(tokens(h)) {
			t.Errorf("%v: %d grants after the last fault, tokens %v", lines, late, tokens(h))
		}
	}
}

// If all servers of NATS lose their power, they lose what they have acknowledged without an fsync. If
// one does, the others have it.
func TestBlackoutOnNATS(t *testing.T) {
	if h, _ := playNATS(t, "at c1 gate work #3: blackout nodes=1,2,3 for=300ms"); !repeated(tokens(h)) {
		t.Errorf("no token was given out twice after the blackout of all servers: %v", tokens(h))
	}
	if h, _ := playNATS(t, "at c1 gate work #3: blackout nodes=2 for=300ms"); repeated(tokens(h)) {
		t.Errorf("a token was given out twice after the blackout of one server: %v", tokens(h))
	}
}

// etcd survives what NATS does not, because it calls fsync before it acknowledges a write.
func TestBlackoutOnEtcd(t *testing.T) {
	o := onEtcd("etcd", 3, promised, 1)
	o.Duration = 6 * time.Second
	h, r := playEtcd(t.Context(), t, o, "at c1 gate work #3: blackout nodes=1,2,3 for=300ms", "at c2 gate work #6: blackout nodes=1,2,3 for=200ms")
	for _, s := range r.Struck {
		if s.At == simulate.Never {
			t.Errorf("%v did not strike: %s", s.Decision, s.Why)
		}
	}
	if len(r.Ended) > 0 || granted(h) < 20 || repeated(tokens(h)) {
		t.Errorf("%d grants, tokens %v, ended: %v", granted(h), tokens(h), r.Ended)
	}
}

// Only etcd compacts its history.
func TestCompactOnNATS(t *testing.T) {
	o := order("nats", 1)
	o.Own = &inside.Own{Server: inside.NATS, Nodes: 3, Traits: promised}
	_, err := simulate.Run(t.Context(), simulate.Config{
		Order: o, Program: guest(t), Cluster: &simulate.Cluster{Disks: t.TempDir()}, Schedule: parsed(t, "at c1 gate work #1: compact"),
	})
	if err == nil || !strings.Contains(err.Error(), "only etcd supports") {
		t.Error(err)
	}
}
