package anchor_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/nemesis"
	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
	"locktorture/workloads"
)

// asDriver makes the test binary a driver process.
const asDriver = "TORTURE_TEST_DRIVER"

// TestMain lets the tests start this binary as the process of a client.
func TestMain(m *testing.M) {
	if os.Getenv(asDriver) == "" {
		os.Exit(m.Run())
	}
	open := func(_ context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
		return redis.NewSet(redis.Config{Addr: o.Endpoints[0], TTL: o.TTL, Owner: o.Owner(), Clock: clock}), nil
	}
	if err := driver.Serve(context.Background(), open, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const ttl = 2 * time.Second

func start(t *testing.T, topology string, clients int) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), topology, process.New("../../../bin/servers"), clients, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// sections is how often each client of a play works: more than any schedule here counts.
const sections = 8

// play plays a schedule on a lock on one Redis. It ends when the faults have struck, or when
// each client has done its sections: no busy machine is too slow for that.
func play(t *testing.T, clients int, text string) (history.History, []anchor.Strike) {
	t.Helper()
	s, err := schedule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, "redis", clients)
	world := harness.WorldOf(c, clients, ttl)
	d, err := anchor.New(s, c, world, nemesis.All(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Guard(d)
	var file bytes.Buffer
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	rec := history.NewRecorder(&file, now)
	run, err := harness.New(harness.Config{
		Clients: clients, TTL: ttl, Duration: 5 * time.Minute, Sections: sections, Seed: 1, Careful: true, Fencing: harness.FencingOff, Traits: redis.SetTraits(),
		Workload: workloads.Counter{Config: workloads.Config{Hold: workloads.Constant(20 * time.Millisecond)}}, Resource: &workloads.Memory{},
		World: world, Kinds: nemesis.All(), Record: rec.Record, Now: now, AtGate: d.AtGate, Outside: func(ctx context.Context, f *harness.Faults) error { return d.Outside(ctx, f) },
		Open: func(ctx context.Context, client, process int) (locks.Locker, error) {
			return driver.Start(ctx, driver.Command{Path: os.Args[0], Env: append(os.Environ(), asDriver+"=1"), Stderr: os.Stderr},
				driver.Open{Endpoints: c.Endpoints(client), TTL: ttl, Client: client, Process: process})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Go(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	h, _, err := history.ReadAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	return h, d.Strikes()
}

// Each kind strikes at its point, and its fault and its end stand in the history.
func TestStrikes(t *testing.T) {
	for _, line := range []string{
		"at c1 gate write #2: pause for=200ms",
		"at c1 send SET redis-1 #2: pause for=200ms",
		"at c1 gate write #2: kill",
		"at c1 reply SET=OK redis-1 #2: kill",
		"at c1 gate read #2: skew by=300ms for=200ms",
		"at c1 reply SET=OK redis-1 #2: hold for=200ms",
		"at c1 gate write #1: hold nodes=1 for=200ms",
		"at c1 send EVAL redis-1 #1: drop",
		"at c1 reply SET=OK redis-1 #1: drop for=100ms",
		"at c1 reply EVAL=1 redis-1 #1: reset",
		"at c1 gate write #1: reset nodes=1",
		"at c1 send SET redis-1 #2: reorder for=300ms",
		"at c1 gate write #1: clock nodes=1 by=-1s for=100ms",
		"at c1 send SET redis-1 #2: stop for=200ms",
		"at c1 gate write #1: restart nodes=1 for=50ms",
	} {
		t.Run(strings.ReplaceAll(line, " ", "_"), func(t *testing.T) {
			t.Parallel()
			h, strikes := play(t, 2, line)
			if len(strikes) != 1 || !strikes[0].Struck {
				t.Fatalf("%+v, want that it struck", strikes)
			}
			var got []history.F
			for _, op := range h {
				switch {
				case op.F == history.Fault && !strings.HasSuffix(op.Value, " at "+strikes[0].Decision.At.String()):
					t.Errorf("the fault was seen as %q, %q", op.Value, op.Error)
				case op.F == history.Fault && op.Traits == nil:
					t.Errorf("%s does not declare what it is", op.Key)
				}
				if op.F == history.Fault || op.F == history.Heal {
					got = append(got, op.F)
				}
			}
			want := []history.F{history.Fault, history.Heal}
			if strikes[0].Decision.Kind == schedule.Kill {
				want = want[:1]
			}
			if !slices.Equal(got, want) {
				t.Errorf("the history has %v, want %v", got, want)
			}
		})
	}
}

// A message is struck, and no other: the third grant of a lone client is late by what its
// answer is held back, and that is when the fault was in place.
func TestExactly(t *testing.T) {
	t.Parallel()
	const held = 700 * time.Millisecond
	h, strikes := play(t, 1, "at c1 reply SET=OK redis-1 #3: hold for="+held.String())
	if !strikes[0].Struck {
		t.Fatalf("%+v", strikes)
	}
	type call struct{ from, to int64 }
	var calls []call
	var struck int64
	for _, op := range h {
		switch {
		case op.F == history.Acquire && op.Type == history.Invoke:
			calls = append(calls, call{from: op.Time})
		case op.F == history.Acquire:
			calls[len(calls)-1].to = op.Time
		case op.F == history.Fault:
			struck = op.Time
		}
	}
	if len(calls) < 4 {
		t.Fatalf("only %d acquires", len(calls))
	}
	third := calls[2]
	if took := time.Duration(third.to - third.from); took < held {
		t.Errorf("acquire 3 took %v", took)
	}
	if struck < third.from || struck > third.to {
		t.Errorf("an answer was held back at %d, acquire 3 was under way from %d to %d", struck, third.from, third.to)
	}
}

// Faults that strike nobody are said to, and why; they are in the history as such.
func TestNotStruck(t *testing.T) {
	t.Parallel()
	h, strikes := play(t, 1, `at c1 send ZADD redis-1 #1: kill
at c1 gate write #1: pause for=100ms
at c1 gate write #1: pause for=100ms
at c1 reply SET=nil redis-1 #1: hold for=10ms
`)
	var why []string
	for _, s := range strikes {
		why = append(why, s.Why)
	}
	if want := []string{"its point never came", "", "c1 is already hit by fault 2", "its point never came"}; !slices.Equal(why, want) {
		t.Errorf("%q, want %q", why, want)
	}
	missed := 0
	for _, op := range h {
		if op.F == history.Fault && op.Type == history.Fail {
			missed++
		}
	}
	if missed != 3 {
		t.Errorf("%d faults of the history did not strike, want 3", missed)
	}
}
