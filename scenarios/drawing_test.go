package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/scenarios"
)

// TestDrawing draws a write that is delayed: its sending and its arrival stand
// apart, the end of the validity between them, and the loss is marked.
func TestDrawing(t *testing.T) {
	const s = int64(1e9)
	op := func(time int64, client int, typ history.Type, f history.F) history.Op {
		return history.Op{Time: time, Process: client - 1, Client: client, Type: typ, F: f, Lock: "L"}
	}
	write := func(time int64, client int, typ history.Type, lease int64) history.Op {
		o := op(time, client, typ, history.Write)
		o.Store, o.Key, o.Value, o.Lease = history.Plain, "L/counter", "1", lease
		return o
	}
	granted := func(time int64, client int, lease int64) history.Op {
		o := op(time, client, history.OK, history.Acquire)
		o.Lease = lease
		return o
	}
	ask := op(1*s, 1, history.OK, history.Ask)
	ask.Lease, ask.UntilMax = 1, 3*s
	late := write(5*s, 1, history.OK, 1)
	h := history.History{
		op(0, 1, history.Invoke, history.Acquire), granted(1*s, 1, 1),
		op(1*s, 1, history.Invoke, history.Ask), ask,
		write(2*s, 1, history.Invoke, 1),
		op(3*s+1, 2, history.Invoke, history.Acquire), granted(4*s, 2, 2),
		write(4*s, 2, history.Invoke, 2), write(4*s, 2, history.OK, 2),
		late,
	}
	r := checker.Result{Properties: []checker.Property{{Anomalies: []checker.Anomaly{{Kind: "lost-update", Time: 2 * s, Ops: []history.Op{late}}}}}}
	want := []string{
		"sequenceDiagram",
		"participant L as lock", "participant C1 as client 1", "participant C2 as client 2", "participant S as store",
		"L->>C1: 1.00 s granted, lease 1",
		"C1-)S: 2.00 s write counter = 1 sent",
		"Note over C1: 3.00 s the validity of lease 1 is over",
		"L->>C2: 4.00 s granted, lease 2",
		"C2->>S: 4.00 s write counter = 1",
		"Note over S: 5.00 s the write counter = 1 of client 1 arrives",
		"Note over L,S: !! lost-update",
	}
	var got []string
	for line := range strings.Lines(scenarios.Drawing(h, r)) {
		got = append(got, strings.TrimSpace(line))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDiffers shows what of a play is not as expected.
func TestDiffers(t *testing.T) {
	result := func(g checker.Grade, kinds ...string) checker.Result {
		r := checker.Result{Grade: g, Counts: checker.Counts{Anomalies: map[string]int{}}}
		for _, k := range kinds {
			r.Counts.Anomalies[k]++
		}
		return r
	}
	c := scenarios.Case{Expect: "unsafe+double-grant", Never: []string{"lost-update"}, Facts: []string{"it was seen"}}
	seen := scenarios.Played{Facts: []string{"it was seen"}}
	for _, tt := range []struct {
		name   string
		result checker.Result
		played scenarios.Played
		want   string
	}{
		{"all as expected", result(checker.Unsafe, "double-grant"), seen, ""},
		{"another grade", result(checker.Safe), seen, "expected unsafe, got safe"},
		{"the anomaly is missing", result(checker.Unsafe), seen, "expected double-grant, none was found"},
		{"one that must not be", result(checker.Unsafe, "double-grant", "lost-update"), seen, "unexpected lost-update"},
		{"a fact is missing", result(checker.Unsafe, "double-grant"), scenarios.Played{}, "not seen: it was seen"},
		{"the script could not go on", result(checker.Unsafe, "double-grant"), scenarios.Played{Stuck: "c2 was not granted L"},
			"the script could not go on: c2 was not granted L"},
	} {
		if got := c.Differs(tt.result, tt.played); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
