package harness_test

import (
	"slices"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/nemesis"
)

// An operation that was kept back for longer than a lease lasts is an overrun
// of a lease that nobody renewed, and none of one that a watchdog kept alive:
// the lease is asked again before the operation goes on.
func TestHeldBack(t *testing.T) {
	server := oneRedis(t)
	for backend, c := range map[string]struct {
		traits  locks.Traits
		overrun bool
	}{
		"redis-watchdog": {redis.WatchdogTraits(), false},
		"redis-set":      {redis.SetTraits(), true},
	} {
		for _, careful := range []bool{true, false} {
			o := server
			o.Backend = backend
			h, ttl := heldBack(t, c.traits, o, careful)
			r := checker.Check(h, checker.Options{
				Bounded: true, Watched: c.traits.Watched, Expires: true, TTL: ttl, Timeout: time.Minute, Memory: 1 << 30,
			}, nil)
			if got := r.Counts.Anomalies["overrun"]; got > 0 != c.overrun {
				t.Errorf("%s, careful %v: %d overruns", backend, careful, got)
			}
			if n := r.Counts.Anomalies["double-grant"]; n > 0 {
				t.Errorf("%s, careful %v: %d double-grants", backend, careful, n)
			}
			checkLetGo(t, backend, h, 7*ttl/4)
		}
	}
}

// heldBack keeps a write of client 2 back for seven quarters of the TTL that it returns. Where
// the machine was too busy for a watchdog to renew in time, the leases were really over: then
// the TTL is made longer.
func heldBack(t *testing.T, traits locks.Traits, o driver.Open, careful bool) (history.History, time.Duration) {
	t.Helper()
	for ttl := 400 * time.Millisecond; ; ttl *= 3 {
		o.TTL = ttl
		x := trial{
			traits: traits, open: isolated(o), ttl: ttl, careful: careful, lasts: 5 * ttl / 2,
			kinds: nemesis.Kinds{"hold": nemesis.Hold{Bound: nemesis.Span{Most: 50}}},
			steps: []nemesis.Step{{N: 1, At: ttl / 4, For: 7 * ttl / 4, Fault: "hold", Mode: nemesis.HoldWrite, Clients: []int{2}}},
			enough: func(h history.History) bool { // the hold was over before the run was
				fault := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Fault })
				heal := slices.IndexFunc(h, func(op history.Op) bool { return op.F == history.Heal })
				return fault >= 0 && heal >= 0 && h[heal].Time-h[fault].Time >= int64(7*ttl/4)
			},
		}
		h := x.carryOut(t)
		lost := slices.ContainsFunc(h, func(op history.Op) bool { return op.F == history.Lost })
		if !traits.Watched || !lost || ttl > 3*time.Second {
			return h, ttl
		}
	}
}

// checkLetGo sees that the operation that was kept back went on afterwards,
// straight after a question that is marked as the harness's own.
func checkLetGo(t *testing.T, backend string, h history.History, held time.Duration) {
	t.Helper()
	struck := -1
	for i, op := range h {
		switch {
		case op.F == history.Fault:
			struck = i
		case struck >= 0 && op.Client == 2 && op.Type == history.Invoke && op.F != history.Ask:
			if op.F != history.Write {
				t.Errorf("%s: the next operation after the hold is %s, want the write", backend, op.F)
			}
			if h[i].Time-h[struck].Time < int64(held) {
				t.Errorf("%s: the write went on after %v", backend, time.Duration(h[i].Time-h[struck].Time))
			}
			if last := lastOf(h[:i], 2); last.F != history.Ask || !last.ForRecord {
				t.Errorf("%s: before the write that went on stands %+v, want an ask for the record", backend, last)
			}
			return
		}
	}
	t.Errorf("%s: no operation after the hold (fault at entry %d)", backend, struck)
}

// lastOf returns a client's last entry.
func lastOf(h history.History, client int) history.Op {
	for _, op := range slices.Backward(h) {
		if op.Client == client && op.Process >= 0 {
			return op
		}
	}
	return history.Op{}
}
