package driver_test

import (
	"context"
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
