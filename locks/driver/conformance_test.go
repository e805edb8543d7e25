package driver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/locks/locktest"
)

// A lock is no other lock because it lives in another process.
func TestConformanceThroughADriver(t *testing.T) {
	s := localServer(t)
	probe := control.NewLocalProbe(s.Addr(), "local")
	t.Cleanup(func() { probe.Close() })
	locktest.Run(t, locktest.Suite{
		Open: func(ctx context.Context, n int) (locks.Locker, error) {
			return driver.Start(ctx, childCommand("driver"), driver.Open{Backend: "local", Endpoints: []string{s.Addr()}, Process: n})
		},
		Traits: control.LocalTraits(), TTL: time.Second, Prober: probe,
	})
}

// Nor is what several clients can hold.
func TestSharedConformanceThroughADriver(t *testing.T) {
	s := localServer(t)
	for name, traits := range map[string]locks.Traits{
		"local-rw": control.LocalRWTraits(), "local-semaphore": control.LocalSemaphoreTraits(),
		"local-latch": control.LocalLatchTraits(), "local-barrier": control.LocalBarrierTraits(), "local-election": control.LocalElectionTraits(),
	} {
		t.Run(name, func(t *testing.T) {
			locktest.Run(t, locktest.Suite{
				Open: func(ctx context.Context, n int) (locks.Locker, error) {
					return driver.Start(ctx, childCommand("driver"), driver.Open{Backend: name, Endpoints: []string{s.Addr()}, Process: n})
				},
				Traits: traits, TTL: time.Second,
			})
		})
	}
}

// A lock that has no readers and no permits grants none, and says so.
func TestUnknownClaims(t *testing.T) {
	k := startLocal(t, localServer(t), 1)
	if _, err := k.AcquireShared(t.Context(), "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a shared lock of an exclusive one: %v, want ErrUnsupported", err)
	}
	if _, err := k.AcquirePermits(t.Context(), "x", 1, 2); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("permits of an exclusive lock: %v, want ErrUnsupported", err)
	}
	if _, err := k.Enter(t.Context(), "x", 2); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a barrier of an exclusive lock: %v, want ErrUnsupported", err)
	}
	for what, err := range map[string]error{
		"set-count": k.SetCount(t.Context(), "x", 2), "count-down": k.CountDown(t.Context(), "x", "a"), "await": k.Await(t.Context(), "x"),
	} {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s of an exclusive lock: %v, want ErrUnsupported", what, err)
		}
	}
	if _, err := k.AcquirePermits(t.Context(), "x", 3, 2); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("three permits of two: %v, want ErrNotAcquired", err)
	}
	if _, err := k.Campaign(t.Context(), "x", "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an election of a lock: %v, want ErrUnsupported", err)
	}
	if _, err := k.Campaign(t.Context(), "x", ""); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("a campaign without a value: %v, want ErrNotAcquired", err)
	}
	if _, _, err := k.Leader(t.Context(), "x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("the leader of a lock: %v, want ErrUnsupported", err)
	}
}
