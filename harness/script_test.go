package harness_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// TestScript tells two clients step by step what to do: a refusal, a pause, a
// write that arrives late, a release that is repeated. All of it must stand in the history, in
// the order of the steps.
func TestScript(t *testing.T) {
	var file bytes.Buffer
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(&file, now)
	s, err := harness.NewScript(harness.Config{
		Clients: 2, TTL: time.Second, AcquireTimeout: time.Minute, Workload: workloads.Counter{}, Resource: &workloads.Memory{},
		Fencing: harness.FencingOn, Traits: control.LocalTraits(), Open: isolated(local(t)), World: &nemesis.World{}, Record: rec.Record, Now: now,
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
	g, err := c1.Acquire(ctx, "counter")
	must("acquire", err)
	if _, err := c2.Try(ctx, "counter"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("a try while another holds: %v", err)
	}
	must("stop", c1.Stop(ctx, "here"))
	must("continue", c1.Continue(ctx))
	m, err := c1.Send(g, workloads.Access{Write: true, Fenced: true, Token: g.Token(), Key: "counter/counter", Value: "1"})
	must("send", err)
	if _, err := m.Deliver(ctx); err != nil {
		t.Errorf("deliver: %v", err)
	}
	must("release", c1.Release(ctx, g))
	if err := c1.Release(ctx, g); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("a second release: %v", err)
	}
	must("kill", c2.Kill(ctx, "there"))
	must("end", s.End("", nil))
	must("close", rec.Close())

	h, truncated, err := history.ReadAll(&file)
	if err != nil || truncated {
		t.Fatalf("the history is unreadable: truncated %v, %v", truncated, err)
	}
	want := []history.F{history.Acquire, history.Try, history.Fault, history.Heal, history.Write, history.Release, history.Release, history.Crash, history.Fault}
	var got []history.F
	for _, op := range h {
		if op.F == history.Fault && op.Traits == nil {
			t.Errorf("fault %d (%s) does not declare what it is", op.Fault, op.Key)
		}
		if op.Type != history.Invoke && op.Process != history.Harness {
			got = append(got, op.F)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the history has %v, want %v", got, want)
	}
}
