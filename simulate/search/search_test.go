package search_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/locks"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry/onredis"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/machine/wasm"
	"locktorture/simulate/search"
)

// loaded is the program of all processes, which is loaded once: that takes longer than most
// runs.
var loaded = sync.OnceValues(func() (*machine.Program, error) {
	return machine.Load(context.Background(), wasm.Engine{}, "cmd/guest")
})

// config is a search of a lock in so many trials.
func config(t *testing.T, backend string, trials, jobs int, kinds ...schedule.Kind) search.Config {
	t.Helper()
	p, err := loaded()
	must(t, err)
	work, judge := "counter", checker.Invariant(invariant.Counter{})
	switch mustFind(t, backend).Traits.Kind {
	case locks.Semaphore:
		work, judge = "rate", invariant.Rate{}
	case locks.CountDownLatch:
		work, judge = "start-gate", invariant.StartGate{}
	}
	o := inside.Order{
		Backend: backend, Workload: work, Locks: []string{work}, Hold: "50ms", Think: "20ms", Clients: 2,
		TTL: 500 * time.Millisecond, Duration: time.Second, Seed: 1, Careful: true,
	}
	cfg := search.Config{Order: o, Strategy: search.Mixed, Kinds: kinds, Trials: trials}
	if len(kinds) == 0 {
		cfg.Kinds = schedule.OnSingle()
	}
	for range jobs {
		a, err := search.NewArena(t.Context(), p, o, judge)
		must(t, err)
		t.Cleanup(func() { must(t, a.Close()) })
		cfg.Arenas = append(cfg.Arenas, a)
	}
	return cfg
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A lock that is broken on purpose is found, and its twin is not flagged in as many trials.
func TestMutants(t *testing.T) {
	for name, anomaly := range map[string]string{"mutant-plain-delete": "double-grant", "mutant-two-of-five": "double-grant", "twin-key": "", "twin-quorum": ""} {
		cfg := config(t, name, 20, 1, schedule.Pause, schedule.Kill, schedule.Hold, schedule.Drop)
		cfg.Order.TTL = max(cfg.Order.TTL, mustFind(t, name).Traits.LeastTTL)
		cfg.Strategy, cfg.Find = search.Usual, nil
		if anomaly != "" {
			cfg.Find = []string{anomaly}
		}
		found, _, err := search.Run(t.Context(), cfg)
		must(t, err)
		if (found != nil) != (anomaly != "") {
			t.Errorf("%s: found %v, want %q", name, found, anomaly)
		}
	}
}

func mustFind(t *testing.T, name string) onredis.Lock {
	t.Helper()
	l, ok := inside.Find(name)
	if !ok {
		t.Fatalf("%s cannot be simulated", name)
	}
	return l
}

// What a lock of any kind is known for is found in a few trials, and cut down to one fault that still
// does it in the same way.
func TestFinds(t *testing.T) {
	for _, c := range []struct {
		backend, anomaly string
		by               schedule.Kind
	}{
		{"redis-setnx-expire", "deadlock", schedule.Drop}, // its SETNX and its EXPIRE are two messages
		{"redis-set-del", "foreign-release", schedule.Hold},
		{"redis-latch", "early-open", schedule.Restart},   // a restart forgets the count
		{"redis-permits", "over-capacity", schedule.Skew}, // its clients ask their own clocks
	} {
		t.Run(c.backend, func(t *testing.T) {
			cfg := config(t, c.backend, 30, 1, c.by)
			cfg.Find = []string{c.anomaly}
			found, tally, err := search.Run(t.Context(), cfg)
			must(t, err)
			if found == nil {
				t.Fatalf("nothing was found in %d trials, %v", tally.Trials, tally.Faults)
			}
			small, err := search.Shrink(t.Context(), cfg.Arenas[0], search.Trial{Order: found.Trial.Order, Schedule: found.Struck}, found.Mechanism, 30, nil)
			must(t, err)
			if n := len(small.Trial.Schedule); n != 1 || small.Anomaly.Kind != c.anomaly || search.MechanismOf(small.Outcome, small.Anomaly) != found.Mechanism {
				t.Errorf("%d faults are left, with %v:\n%s", n, small.Anomaly.Kind, small.Trial.Schedule)
			}
			t.Logf("trial %d, %v, in %d runs cut down to %s", found.Number, found.Mechanism, small.Runs, small.Trial.Schedule)
		})
	}
}

// Any number of workers find the same, in the same trial.
func TestJobs(t *testing.T) {
	cfg := config(t, "redis-setnx-expire", 30, 2, schedule.Drop, schedule.Pause)
	cfg.Find = []string{"deadlock"}
	two, _, err := search.Run(t.Context(), cfg)
	must(t, err)
	cfg.Arenas = cfg.Arenas[:1]
	one, _, err := search.Run(t.Context(), cfg)
	must(t, err)
	if one == nil || two == nil || one.Number != two.Number || one.Run.Hash != two.Run.Hash || one.Mechanism != two.Mechanism {
		t.Errorf("one worker found %+v, two %+v", one, two)
	}
}

// A lock that is sound is flagged for nothing where its clocks and its data are left alone, and
// all kinds of faults struck.
func TestSound(t *testing.T) {
	kinds := slices.DeleteFunc(schedule.OnSingle(), func(k schedule.Kind) bool { return k == schedule.Clock || k == schedule.Skew || k == schedule.Restart })
	cfg := config(t, "redis-set", 10, 2, kinds...)
	found, tally, err := search.Run(t.Context(), cfg)
	must(t, err)
	if found != nil {
		t.Errorf("%v by\n%s", found.Mechanism, found.Trial.Schedule)
	}
	if tally.Trials != 10 || tally.Runs != search.RunsOf(10) || len(tally.Faults) < 4 || len(tally.States) < 20 {
		t.Errorf("%d trials, %d runs, faults %v, %d states", tally.Trials, tally.Runs, tally.Faults, len(tally.States))
	}
}

// Who searches on plays none of the worlds again that were played before.
func TestAfter(t *testing.T) {
	cfg := config(t, "mutant-plain-delete", 60, 1, schedule.Pause, schedule.Kill, schedule.Hold, schedule.Drop)
	cfg.Strategy = search.Usual
	first, _, err := search.Run(t.Context(), cfg)
	must(t, err)
	if first == nil {
		t.Fatal("nothing was found")
	}
	cfg.After = first.Number
	second, tally, err := search.Run(t.Context(), cfg)
	must(t, err)
	if second == nil || (second.Number-1)/5 <= (first.Number-1)/5 || tally.Trials > 60-first.Number {
		t.Errorf("after %d: %+v, in %d trials", first.Number, second, tally.Trials)
	}
}
