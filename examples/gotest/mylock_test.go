package mylock

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/checker"
	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// trust makes the bad lock one that is trusted, to show what a failing test prints: go test -run TestLock -trust
var trust = flag.Bool("trust", false, "fail where the lock without a token fails")

// TestMain lets this test binary be the process of each client, too.
func TestMain(m *testing.M) {
	os.Exit(gotest.Main(m, func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
		l := Lock{Redis: redis.NewClient(&redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial, MaxRetries: -1}), TTL: o.TTL}
		if o.Options["lock"] == "fenced" {
			return &FencedLock{l}, nil
		}
		return &l, nil
	}))
}

// What the two locks declare.
var (
	plain  = gotest.Config{Traits: locks.Traits{Model: "lease", LeastTTL: 1}, Seed: 1}
	fenced = gotest.Config{
		Traits:  locks.Traits{Model: "fenced", LeastTTL: 1, Token: true, Bounded: true, Validity: "TTL"},
		Options: map[string]string{"lock": "fenced"}, Seed: 1,
	}
)

// TestFencedLock stops and kills clients that hold the lock. A stopped holder is overtaken,
// and its token, which is too old then, keeps it from doing harm.
func TestFencedLock(t *testing.T) {
	t.Parallel()
	cfg := fenced
	cfg.Duration = 30 * time.Second // some stops must strike between check and write, or nothing tests the fence
	gotest.Check(t, cfg)
}

// TestExploreFencedLock searches in virtual time for faults under which the lock breaks its
// promise.
func TestExploreFencedLock(t *testing.T) {
	t.Parallel()
	cfg := fenced
	cfg.Trials = 30
	gotest.Explore(t, cfg)
}

// TestExploreLock finds some for the lock without a token.
func TestExploreLock(t *testing.T) {
	t.Parallel()
	if *trust {
		gotest.Explore(t, plain)
		return
	}
	e, err := gotest.Search(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil {
		t.Fatalf("nothing was found in %d trials", e.Trials)
	}
	t.Logf("%s\n%v", e.Found.Result.Sentence, e.Found.Replay)
}

// TestLock does the same to a lock without a token, which cannot stand it.
func TestLock(t *testing.T) {
	t.Parallel()
	if *trust {
		gotest.Check(t, plain)
		return
	}
	r, err := gotest.Run(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	if t.Log(r.Sentence); r.Grade != checker.Unsafe {
		t.Errorf("%s: a stopped holder should have been overtaken", r.Grade)
	}
}
