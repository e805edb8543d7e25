package locktest_test

import (
	"context"
	"maps"
	"strconv"
	"testing"

	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/locktest"
)

func TestNone(t *testing.T) {
	t.Parallel()
	const why = "it grants everything"
	locktest.Run(t, locktest.Suite{
		Open: func(_ context.Context, n int) (locks.Locker, error) {
			return control.NewNone("p" + strconv.Itoa(n)), nil
		},
		Traits: control.NoneTraits(), TTL: ttl,
		KnownBroken: map[string]string{
			"exclusion": why, "try": why, "deadline": why, "hand-over": why, "cancel": why, "release-twice": why,
		},
	})
}

func TestNoneShared(t *testing.T) {
	t.Parallel()
	const why = "it grants everything"
	broken := map[string]string{"exclusion": why, "deadline": why, "hand-over": why, "cancel": why, "release-twice": why}
	for _, tt := range []struct {
		name   string
		check  string
		open   func(owner string) locks.Locker
		traits locks.Traits
	}{
		{"rw", "readers", func(owner string) locks.Locker { return control.NoneRW{None: control.NewNone(owner)} }, control.NoneRWTraits()},
		{"semaphore", "permits", func(owner string) locks.Locker { return control.NewNoneSemaphore(owner) }, control.NoneSemaphoreTraits()},
		{"election", "election", func(owner string) locks.Locker { return control.NewNoneElection(owner) }, control.NoneElectionTraits()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known := maps.Clone(broken)
			known[tt.check] = why
			if tt.name == "rw" {
				known["try"] = why
			}
			locktest.Run(t, locktest.Suite{
				Open:   func(_ context.Context, n int) (locks.Locker, error) { return tt.open("p" + strconv.Itoa(n)), nil },
				Traits: tt.traits, TTL: ttl, KnownBroken: known,
			})
		})
	}
}

func TestProcessLocal(t *testing.T) {
	t.Parallel()
	const why = "each client has a mutex of its own"
	locktest.Run(t, locktest.Suite{
		Open: func(_ context.Context, n int) (locks.Locker, error) {
			return control.NewProcessLocal("p" + strconv.Itoa(n)), nil
		},
		Traits: control.ProcessLocalTraits(), TTL: ttl,
		KnownBroken: map[string]string{
			"exclusion": why, "try": why, "deadline": why, "hand-over": why, "cancel": why, "release-twice": why,
		},
	})
}

// Within one process the mutex is one.
func TestProcessLocalInOneProcess(t *testing.T) {
	t.Parallel()
	shared := control.NewProcessLocal("p1")
	locktest.Run(t, locktest.Suite{
		Open:   func(context.Context, int) (locks.Locker, error) { return shared, nil },
		Traits: control.ProcessLocalTraits(), TTL: ttl,
	})
}

func TestLocal(t *testing.T) {
	t.Parallel()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	probe := control.NewLocalProbe(s.Addr(), "local")
	t.Cleanup(func() {
		probe.Close()
		s.Close()
	})
	locktest.Run(t, locktest.Suite{
		Open: func(_ context.Context, n int) (locks.Locker, error) {
			return control.NewLocal(control.LocalConfig{Addr: s.Addr(), Owner: "p" + strconv.Itoa(n)}), nil
		},
		Traits: control.LocalTraits(), TTL: ttl, Prober: probe,
	})
}

func TestLocalMeetings(t *testing.T) {
	t.Parallel()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	config := func(n int) control.LocalConfig {
		return control.LocalConfig{Addr: s.Addr(), Owner: "p" + strconv.Itoa(n)}
	}
	const everybody = "it lets everybody in and out"
	for name, suite := range map[string]locktest.Suite{
		"latch": {
			Traits: control.LocalLatchTraits(),
			Open:   func(_ context.Context, n int) (locks.Locker, error) { return control.NewLocalLatch(config(n)), nil },
		},
		"barrier": {
			Traits: control.LocalBarrierTraits(),
			Open:   func(_ context.Context, n int) (locks.Locker, error) { return control.NewLocalBarrier(config(n)), nil },
		},
		"none-latch": {
			Traits: control.LocalLatchTraits(), KnownBroken: map[string]string{"count-down-twice": "it counts calls, not parties"},
			Open: func(_ context.Context, n int) (locks.Locker, error) { return control.NewNoneLatch(config(n)), nil },
		},
		"none-barrier": {
			Traits: control.NoneBarrierTraits(), KnownBroken: map[string]string{"barrier": everybody},
			Open: func(_ context.Context, n int) (locks.Locker, error) {
				return control.NewNoneBarrier("p" + strconv.Itoa(n)), nil
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			suite.TTL = ttl
			locktest.Run(t, suite)
		})
	}
}

func TestLocalShared(t *testing.T) {
	t.Parallel()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	probe := control.NewLocalHoldsProbe(s.Addr(), "local")
	t.Cleanup(func() {
		probe.Close()
		s.Close()
	})
	config := func(n int) control.LocalConfig {
		return control.LocalConfig{Addr: s.Addr(), Owner: "p" + strconv.Itoa(n)}
	}
	t.Run("rw", func(t *testing.T) {
		locktest.Run(t, locktest.Suite{
			Open: func(_ context.Context, n int) (locks.Locker, error) {
				return control.LocalRW{Local: control.NewLocal(config(n))}, nil
			},
			Traits: control.LocalRWTraits(), TTL: ttl, Prober: probe,
		})
	})
	t.Run("semaphore", func(t *testing.T) {
		locktest.Run(t, locktest.Suite{
			Open:   func(_ context.Context, n int) (locks.Locker, error) { return control.NewLocalSemaphore(config(n)), nil },
			Traits: control.LocalSemaphoreTraits(), TTL: ttl, Prober: probe,
		})
	})
	t.Run("election", func(t *testing.T) {
		locktest.Run(t, locktest.Suite{
			Open:   func(_ context.Context, n int) (locks.Locker, error) { return control.NewLocalElection(config(n)), nil },
			Traits: control.LocalElectionTraits(), TTL: ttl,
		})
	})
}
