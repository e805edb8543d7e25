package locktest_test

import (
	"context"
	"strconv"
	"testing"

	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/locktest"
)

func TestNone(t *testing.T) {
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

func TestProcessLocal(t *testing.T) {
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
	shared := control.NewProcessLocal("p1")
	locktest.Run(t, locktest.Suite{
		Open:   func(context.Context, int) (locks.Locker, error) { return shared, nil },
		Traits: control.ProcessLocalTraits(), TTL: ttl,
	})
}

func TestLocal(t *testing.T) {
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
