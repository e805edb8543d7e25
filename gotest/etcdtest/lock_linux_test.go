package etcdtest_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktorture/gotest"
	"locktorture/gotest/etcdtest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

var keep = flag.String("keep", "", "directory in which TestReplay keeps its finding; default: a temporary one")

func TestMain(m *testing.M) {
	os.Exit(gotest.Main(m, func(_ context.Context, o driver.Open, _ *locks.SkewedClock) (locks.Locker, error) {
		if o.Options["lock"] == "undialed" {
			return undialed(o)
		}
		return etcdtest.New(o, o.Options["lock"] == "blind")
	}))
}

// undialed returns a lock whose client makes its own connections.
func undialed(o driver.Open) (locks.Locker, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints})
	if err != nil {
		return nil, err
	}
	return undialedLock{c}, nil
}

type undialedLock struct{ *clientv3.Client }

// Acquire asks for an etcd lease.
func (l undialedLock) Acquire(ctx context.Context, _ string) (locks.Lease, error) {
	_, err := l.Grant(ctx, 1)
	return nil, errors.Join(locks.ErrNotAcquired, err)
}

// onEtcd is a search for a lock of TestMain.
func onEtcd(t *testing.T, lock string) gotest.Config {
	if runtime.GOARCH != "amd64" {
		t.Skip("etcd cannot be simulated here")
	}
	return gotest.Config{
		Topology: "etcd-3", Options: map[string]string{"lock": lock}, Clients: 2, Seed: 1,
		Traits: locks.Traits{Model: "fenced", LeastTTL: time.Second, Token: true, Bounded: true, Validity: "TTL"},
	}
}

// A lock that is right passes its trials, in which the faults of etcd's servers are among the kinds.
func TestExplore(t *testing.T) {
	cfg := onEtcd(t, "")
	cfg.Trials = 40
	e := gotest.Explore(t, cfg)
	if e.Found != nil || e.Trials != 40 {
		t.Errorf("%d trials, %+v", e.Trials, e.Found)
	}
	if kinds := strings.Join(e.Kinds, " "); kinds != "blackout compact cut drop fsync hold kill pause reorder reset stop" {
		t.Errorf("kinds: %s", kinds)
	}
	if !strings.Contains(e.Unseen, "only on Redis") {
		t.Errorf("what cannot be seen is not said: %q", e.Unseen)
	}
}

// A release that deletes the key of another client is found, and its run is repeated to the same
// events.
func TestSearch(t *testing.T) {
	cfg := onEtcd(t, "blind")
	cfg.Hold, cfg.Dir = "250ms", t.TempDir()
	e, err := gotest.Search(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil || e.Found.Seen == 0 || e.Found.Replay.Schedule == "" || e.Found.Report == "" {
		t.Fatalf("%d trials, %+v", e.Trials, e.Found)
	}
	t.Logf("trial %d, %d runs, %s: %v", e.Found.Trial, e.Found.Runs, e.Found.Mechanism, e.Found.Replay)
	cfg = e.Found.Replay.On(cfg)
	cfg.Dir = t.TempDir()
	again, err := gotest.Search(t.Context(), cfg)
	if err != nil || again.Found == nil {
		t.Fatalf("played again: %+v, %v", again, err)
	}
	if a, b := eventsOf(t, e), eventsOf(t, again); a != b {
		t.Errorf("the same run has other events: %s, %s", a, b)
	}
}

// late pauses a holder until after the end of its lease.
var late = gotest.Replay{Clients: 2, Duration: 5 * time.Second, Seed: 1, Hold: "250ms", Schedule: "at c1 gate write #1: pause for=2500ms\n"}

// A holder that releases late breaks the lock only if its release deletes whatever key is there.
func TestReplay(t *testing.T) {
	right := late.On(onEtcd(t, ""))
	if e := gotest.Explore(t, right); e.Trials != 1 {
		t.Errorf("%d trials", e.Trials)
	}
	blind := late.On(onEtcd(t, "blind"))
	if blind.Dir = *keep; *keep == "" {
		blind.Dir = t.TempDir()
	}
	e, err := gotest.Search(t.Context(), blind)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil || e.Found.Result.Counts.Anomalies["double-grant"] == 0 {
		t.Errorf("nothing was found: %+v", e.Found)
	}
}

// eventsOf is the sum of all events of what was found.
func eventsOf(t *testing.T, e gotest.Exploration) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(e.Found.Report), "events.sum"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A lock that does not dial as it must, and a program that cannot run etcd, are told what to do.
func TestSearchFails(t *testing.T) {
	_, err := gotest.Search(t.Context(), onEtcd(t, "undialed"))
	if err == nil || !strings.Contains(err.Error(), "grpc.WithContextDialer") {
		t.Errorf("undialed: %v", err)
	}
	t.Log(err)
	t.Setenv("TORTURE_GUEST", "wasm")
	if _, err = gotest.Search(t.Context(), onEtcd(t, "")); err == nil || !strings.Contains(err.Error(), "servers of etcd are native") {
		t.Errorf("in wasm: %v", err)
	}
}
