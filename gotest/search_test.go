package gotest_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
)

// simulated is a search for a lock of TestMain.
func simulated(lock string, t locks.Traits) gotest.Config {
	return gotest.Config{Traits: t, Options: map[string]string{"lock": lock}, Clients: 2, Seed: 1}
}

// A lock that is right is flagged for nothing, and is a test that passes.
func TestExploreFenced(t *testing.T) {
	cfg := simulated("fenced", redis.FencedTraits())
	cfg.Trials = 5
	if e := gotest.Explore(t, cfg); e.Found != nil || e.Trials != 5 {
		t.Errorf("%d trials, %+v", e.Trials, e.Found)
	}
}

// A lock whose SET and PEXPIRE can be torn apart is dead then. What is found is a run that can
// be played again.
func TestSearchFinds(t *testing.T) {
	cfg := simulated("setnx-expire", redis.SetNXExpireTraits())
	cfg.Find, cfg.Kinds, cfg.Dir = []string{"deadlock"}, []string{"drop"}, t.TempDir()
	e, err := gotest.Search(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil {
		t.Fatalf("nothing was found in %d trials", e.Trials)
	}
	t.Logf("trial %d, %d runs, %v", e.Found.Trial, e.Found.Runs, e.Found.Replay)
	r := e.Found.Replay
	if n := strings.Count(r.Schedule, "\n"); n < 1 || n > 3 || e.Found.Seen == 0 || e.Found.Report == "" {
		t.Errorf("%d faults, seen in %d other worlds, report %q", n, e.Found.Seen, e.Found.Report)
	}
	cfg = r.On(cfg)
	again, err := gotest.Search(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if again.Found == nil || again.Found.Mechanism != e.Found.Mechanism {
		t.Errorf("%+v, was %s", again.Found, e.Found.Mechanism)
	}
	cfg.Schedule = "at c1 send SETNX redis-1 #9999: drop"
	if _, err := gotest.Search(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "its point never came") {
		t.Errorf("a schedule that does not fit: %v", err)
	}
}

// The lock that grants everything needs no fault.
func TestSearchNone(t *testing.T) {
	e, err := gotest.Search(t.Context(), simulated("none", control.NoneTraits()))
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil || e.Found.Replay.Schedule != "" || !strings.HasPrefix(e.Found.Mechanism, "double-grant") {
		t.Errorf("%+v", e.Found)
	}
	if !strings.HasPrefix(e.Unseen, "the servers are not probed: ") || !strings.Contains(e.Unseen, "keeps nothing on its servers") {
		t.Errorf("what cannot be seen is not said: %q", e.Unseen)
	}
}

// An undialed lock looks for its server where there is none.
type undialed struct{}

func (undialed) Acquire(context.Context, string) (locks.Lease, error) {
	_, err := net.Dial("tcp", "redis-1:6379")
	return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
}

func (undialed) Close() error { return nil }

// What goes wrong inside is told, with what can be done.
func TestSearchFails(t *testing.T) {
	for lock, want := range map[string]string{"undialed": "Dialer: o.Dial", "refused": "no processes", "panics": "no lock today"} {
		_, err := gotest.Search(t.Context(), simulated(lock, locks.Traits{Model: "mutex"}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", lock, err)
		}
		t.Log(err)
	}
}

// An outside wants what a simulation does not have at its second grant. It goes on where it
// does not get it.
type outside struct {
	*queue
	what   string
	grants int
}

func newOutside(o driver.Open) locks.Locker {
	return &outside{queue: newSignals(o).(*queue), what: o.Options["lock"]}
}

func (l *outside) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	lease, err := l.queue.Acquire(ctx, name)
	if l.grants++; l.grants == 2 {
		switch l.what {
		case "file":
			_ = os.WriteFile("granted", nil, 0o600)
		case "listener":
			if s, err := net.Listen("tcp", "127.0.0.1:7000"); err == nil {
				defer s.Close()
			}
		}
	}
	return lease, err
}

// A lock that opens a file or listens is refused at its first call of that, which the error
// names, and not searched without it: as a program of this machine, too, which could do both.
func TestSearchRefusesCall(t *testing.T) {
	for _, kind := range []string{"", "wasm"} {
		t.Setenv("TORTURE_GUEST", kind)
		for lock, call := range map[string]string{"file": `granted")`, "listener": `listen("tcp 127.0.0.1:7000")`} {
			e, err := gotest.Search(t.Context(), simulated(lock, locks.Traits{Model: "mutex"}))
			if err == nil || e.Trials > 0 || !strings.Contains(err.Error(), " calls ") || !strings.Contains(err.Error(), call) || !strings.Contains(err.Error(), "Check tries the lock") || strings.Contains(err.Error(), "gotest.Main") {
				t.Errorf("%s, %s, %d trials: %v", kind, lock, e.Trials, err)
			}
		}
	}
	if _, err := os.Stat("granted"); err == nil {
		t.Error("the file was written")
	}
}

// A command that is refused is told as such: gotest.Main has nothing to do with it.
func TestSearchRefusesCommand(t *testing.T) {
	_, err := gotest.Search(t.Context(), simulated("monitor", locks.Traits{Model: "mutex"}))
	if err == nil || !strings.Contains(err.Error(), "MONITOR") || !strings.Contains(err.Error(), "says what is refused") || strings.Contains(err.Error(), "gotest.Main") {
		t.Error(err)
	}
}

// What a simulation does not have is refused.
func TestSearchRefuses(t *testing.T) {
	for want, change := range map[string]func(*gotest.Config){
		"Endpoints":                    func(c *gotest.Config) { c.Endpoints = []string{"127.0.0.1:1"} },
		"only etcd-3, redis, redis-5":  func(c *gotest.Config) { c.Topology = "consul-3" },
		"Kinds on redis: ":             func(c *gotest.Config) { c.Kinds = []string{"fsync"} },
		"Kinds on etcd-3: ":            func(c *gotest.Config) { c.Topology, c.Kinds = "etcd-3", []string{"clock"} },
		"double-grant":                 func(c *gotest.Config) { c.Find = []string{"double-grand"} },
		"pause":                        func(c *gotest.Config) { c.Kinds = []string{"pauze"} },
		"schedule line 1":              func(c *gotest.Config) { c.Schedule = "at noon" },
		"a semaphore cannot":           func(c *gotest.Config) { c.Traits.Kind = locks.Semaphore },
		"must be at least Traits.Leas": func(c *gotest.Config) { c.TTL, c.Traits.LeastTTL = 1, 2 },
	} {
		cfg := simulated("none", control.NoneTraits())
		change(&cfg)
		if _, err := gotest.Search(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
