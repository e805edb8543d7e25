package mylock

import (
	"context"
	"os"
	"testing"

	"github.com/redis/go-redis/v9"

	"locktorture/checker"
	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// TestMain lets this test binary be the process of each client, too.
func TestMain(m *testing.M) {
	os.Exit(gotest.Main(m, func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
		return &Lock{Redis: redis.NewClient(&redis.Options{Addr: o.Endpoints[0], MaxRetries: -1}), TTL: o.TTL}, nil
	}))
}

// TestMyLock stops and kills clients that hold the lock. A lock with a TTL and
// without a token cannot stand that, and the run shows it.
func TestMyLock(t *testing.T) {
	r, err := gotest.Run(t.Context(), gotest.Config{Traits: locks.Traits{Model: "lease", LeastTTL: 1}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r.Grade, r.Sentence)
	if r.Grade != checker.Unsafe { // of a lock that you trust: r.Grade != checker.Safe, or with tokens r.Failed || r.Grade == checker.Unknown
		t.Errorf("%s: a stopped holder should have been overtaken", r.Grade)
	}
}
