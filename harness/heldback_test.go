package harness_test

import (
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/nemesis"
)

// An operation that was kept back for longer than a lease lasts is an overrun
// of a lease that nobody renewed, and none of one that a watchdog kept alive:
// the lease is asked again before the operation goes on.
func TestHeldBack(t *testing.T) {
	server := oneRedis(t)
	server.TTL = 400 * time.Millisecond
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
			x := trial{
				traits: c.traits, open: isolated(o), ttl: o.TTL, careful: careful,
				kinds: nemesis.Kinds{"hold": nemesis.Hold{}},
				steps: []nemesis.Step{{N: 1, At: 100 * time.Millisecond, For: 700 * time.Millisecond, Fault: "hold", Mode: nemesis.HoldWrite, Clients: []int{2}}},
			}
			h := x.carryOut(t)
			r := checker.Check(h, checker.Options{
				Bounded: true, Watched: c.traits.Watched, Expires: true, TTL: x.ttl, Timeout: 10 * time.Second, Memory: 1 << 30,
			}, nil)
			if got := r.Counts.Anomalies["overrun"]; got > 0 != c.overrun {
				t.Errorf("%s, careful %v: %d overruns", backend, careful, got)
			}
			if n := r.Counts.Anomalies["double-grant"]; n > 0 {
				t.Errorf("%s, careful %v: %d double-grants", backend, careful, n)
			}
			checkLetGo(t, backend, h)
		}
	}
}

// checkLetGo sees that the operation that was kept back went on afterwards,
// straight after the question.
func checkLetGo(t *testing.T, backend string, h history.History) {
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
			if h[i].Time-h[struck].Time < int64(700*time.Millisecond) {
				t.Errorf("%s: the write went on after %v", backend, time.Duration(h[i].Time-h[struck].Time))
			}
			return
		}
	}
	t.Errorf("%s: no operation after the hold (fault at entry %d)", backend, struck)
}
