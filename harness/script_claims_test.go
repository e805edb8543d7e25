package harness_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// TestScriptCampaigns tells two candidates what to do: an acquire is a campaign with a value
// of its own, an observation is recorded, and a resignation whose context is over leaves its
// outcome open.
func TestScriptCampaigns(t *testing.T) {
	servers, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Close()
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	s, err := harness.NewScript(harness.Config{
		Clients: 2, TTL: time.Second, AcquireTimeout: time.Minute, Workload: workloads.Counter{}, Resource: &workloads.Memory{},
		Fencing: harness.FencingOff, Traits: control.LocalElectionTraits(), World: &nemesis.World{}, Record: rec.Record, Now: now,
		Open: func(context.Context, int, int) (locks.Locker, error) {
			return control.NewLocalElection(control.LocalConfig{Addr: servers.Addr(), Owner: "p1"}), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	must("begin", s.Begin(ctx))
	c1, c2 := s.Client(1), s.Client(2)
	if _, err := c1.Claim(ctx, "mayor", locks.Claim{Shared: true}); err == nil {
		t.Error("an election was taken as a reader")
	}
	g, err := c1.Acquire(ctx, "mayor")
	must("campaign", err)
	must("observe", c2.Observe(ctx, "mayor"))
	if err := c1.ReleaseWithin(ctx, g, 0); !errors.Is(err, harness.ErrUnknown) {
		t.Errorf("a resignation whose context is over: %v, want %v", err, harness.ErrUnknown)
	}
	g, err = c2.Acquire(ctx, "mayor")
	must("campaign", err)
	must("resign", c2.Release(ctx, g))
	must("end", s.End("", nil))
	must("close", rec.Close())

	h, _, err := history.ReadAll(&file)
	must("read", err)
	values, seen := map[string]bool{}, ""
	for _, op := range h {
		switch {
		case op.F == history.Acquire && op.Mode == history.Campaign && op.Type == history.Invoke:
			values[op.Value] = true
		case op.F == history.Observe && op.Type == history.OK:
			seen = op.Value
		}
	}
	if len(values) != 2 || !values[seen] {
		t.Errorf("campaigns with %v, observed %q: want two values, and one of them", values, seen)
	}
}
