package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
	"locktorture/history"
)

// record writes operations on one lock as a recorder would have.
func record(ops []linear.Operation) []history.Op {
	var h []history.Op
	for _, o := range ops {
		e := history.Op{Process: o.Process, Lock: "a", Time: o.Call, Type: history.Invoke, Token: o.Token}
		switch o.F {
		case linear.Acquire:
			e.F, e.Token = history.Acquire, 0
		case linear.Renew:
			e.F = history.Renew
		case linear.Release:
			e.F = history.Release
		case linear.End:
			e.F, e.Type = history.Crash, history.Info
			h = append(h, e)
			continue
		}
		h = append(h, e)
		done := e
		done.Time, done.Type, done.Token = o.Return, history.OK, o.Token
		switch o.Status {
		case linear.Pending:
			continue
		case linear.Refused:
			done.Type, done.Refused = history.Fail, history.ByServer
		}
		h = append(h, done)
	}
	slices.SortStableFunc(h, func(a, b history.Op) int { return int(a.Time - b.Time) })
	return h
}

// TestMonitorAgrees compares the monitor, which sees one entry after another,
// with Check on the whole, and a history that went through a recorder with the
// operations that it came from.
func TestMonitorAgrees(t *testing.T) {
	for _, model := range []string{"mutex", "fenced"} {
		t.Run(model, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 3))
			counts := map[linear.Outcome]int{}
			for i := 0; i < *histories; i++ {
				ops, _, _ := smallHistory(r, model)
				h := record(ops)
				if linear.Validate(ops) != nil || ambiguous(ops) {
					continue
				}
				objects, err := linear.FromHistory(h)
				if err != nil {
					t.Fatalf("history %d: %v\n%s", i, err, render(ops))
				}
				want := linear.Check(objects.Locks["a"], model, linear.Options{})
				if direct := linear.Check(ops, model, linear.Options{}); direct.Outcome != want.Outcome {
					t.Fatalf("history %d: %v (%s) through a recorder, %v (%s) without\n%s", i, want.Outcome, want.Reason+want.Explanation, direct.Outcome, direct.Explanation, render(ops))
				}
				v := watch(t, model, h)
				if (v != nil) != (want.Outcome == linear.Invalid) {
					t.Fatalf("history %d: the monitor says %+v, Check %v (%s)\n%s", i, v, want.Outcome, want.Explanation, render(ops))
				}
				counts[want.Outcome]++
			}
			t.Logf("seed %d: %v", *seed, counts)
			if counts[linear.Invalid] < *histories/50 {
				t.Errorf("too few invalid ones: %v", counts)
			}
		})
	}
}

// ambiguous reports what no harness records: a process that goes on after an
// outcome that it did not learn, or two operations at one stamp.
func ambiguous(ops []linear.Operation) bool {
	over := map[int]bool{}
	last := map[int]int64{}
	for _, o := range ops {
		if over[o.Process] && o.F != linear.End {
			return true
		}
		if at, ok := last[o.Process]; ok && o.Call <= at {
			return true
		}
		over[o.Process] = over[o.Process] || o.Status == linear.Pending
		last[o.Process] = o.Call
		if o.Status != linear.Pending {
			last[o.Process] = o.Return
		}
	}
	return false
}

func watch(t *testing.T, model string, h []history.Op) *linear.Violation {
	t.Helper()
	m, err := linear.NewMonitor(model)
	if err != nil {
		t.Fatal(err)
	}
	for i := range h {
		m.Feed(&h[i])
	}
	v := m.End()
	if v != nil && (v.Explanation == "" || len(v.Ops) == 0) {
		t.Fatalf("a violation without its evidence: %+v", v)
	}
	return v
}

// The first violation is reported at the entry that completes it.
func TestMonitorStopsAtOnce(t *testing.T) {
	m, err := linear.NewMonitor("fenced")
	if err != nil {
		t.Fatal(err)
	}
	h := record([]linear.Operation{
		{Process: 1, F: linear.Acquire, Status: linear.OK, Call: 0, Return: 10, Token: 34},
		{Process: 2, F: linear.Acquire, Status: linear.OK, Call: 20, Return: 30, Token: 33},
	})
	for i := range h {
		if v := m.Feed(&h[i]); (v != nil) != (i == len(h)-1) {
			t.Errorf("entry %d: %+v", i, v)
		}
	}
	if _, err := linear.NewMonitor("lease"); err == nil {
		t.Error("there is no monitor for leases")
	}
}

// What ends a section, and what does not count.
func TestFromHistory(t *testing.T) {
	const inv, ok, fail, info = history.Invoke, history.OK, history.Fail, history.Info
	h := []history.Op{
		{Time: 1, Process: 1, Type: inv, F: history.Acquire, Lock: "a"},
		{Time: 2, Process: 1, Type: ok, F: history.Acquire, Lock: "a", Lease: 1, Token: 7},
		{Time: 3, Process: 2, Type: inv, F: history.Try, Lock: "a"},
		{Time: 4, Process: 2, Type: fail, F: history.Try, Lock: "a", Refused: history.ByClient},
		{Time: 5, Process: 2, Type: inv, F: history.Try, Lock: "a"},
		{Time: 6, Process: 2, Type: fail, F: history.Try, Lock: "a", Refused: history.ByServer},
		{Time: 7, Process: 1, Type: inv, F: history.Write, Lock: "a", Lease: 1, Token: 7, Store: history.Fenced, Key: "k", Value: "x"},
		{Time: 8, Process: 1, Type: fail, F: history.Write, Lock: "a", Lease: 1, Token: 7, Store: history.Fenced, Key: "k", Value: "x", Refused: history.ByStore},
		{Time: 9, Process: 1, Type: info, F: history.Lost, Lock: "a", Lease: 1},
		{Time: 10, Process: 1, Type: inv, F: history.Release, Lock: "a", Lease: 1, Token: 7},
		{Time: 11, Process: 1, Type: fail, F: history.Release, Lock: "a", Lease: 1, Token: 7, Refused: history.ByServer},
		{Time: 12, Process: 2, Type: inv, F: history.Acquire, Lock: "a"},
		{Time: 13, Process: 2, Type: ok, F: history.Acquire, Lock: "a", Lease: 2, Token: 8},
		{Time: 14, Process: 2, Type: inv, F: history.Read, Lock: "a", Lease: 2, Token: 8, Store: history.Fenced, Key: "k"},
		{Time: 15, Process: 2, Type: info, F: history.Crash},
	}
	got, err := linear.FromHistory(h)
	if err != nil {
		t.Fatal(err)
	}
	want := []linear.Operation{
		{Process: 1, F: linear.Acquire, Status: linear.OK, Call: 1, Return: 2, Token: 7, Line: 0},
		{Process: 2, F: linear.Acquire, Status: linear.Refused, Call: 5, Return: 6, Line: 4},
		{Process: 1, F: linear.End, Status: linear.OK, Call: 9, Return: 11, Token: 7, Line: 0},
		{Process: 2, F: linear.Acquire, Status: linear.OK, Call: 12, Return: 13, Token: 8, Line: 11},
		{Process: 2, F: linear.End, Call: 15, Token: 8, Line: 11},
	}
	if d := cmp.Diff(want, got.Locks["a"]); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if n := len(got.Stores["a"]); n != 2 {
		t.Errorf("%d operations of the fenced store, not a refused write and an open read", n)
	}
	for _, bad := range [][]history.Op{h[1:2], {h[0], h[0]}} {
		if _, err := linear.FromHistory(bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}

// Replay is not linearizability: it fixes the order. On what a fenced store
// really did both agree.
func TestReplay(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 5))
	invalid := 0
	for i := range *histories {
		ops, _, mutated := smallHistory(r, "fenced-store")
		v := linear.Check(ops, "replay", linear.Options{})
		if !mutated && v.Outcome != linear.Valid {
			t.Fatalf("history %d: %v %s\n%s", i, v.Outcome, v.Reason+v.Explanation, render(ops))
		}
		if v.Outcome == linear.Invalid {
			invalid++
			if store := linear.Check(ops, "fenced-store", linear.Options{}); store.Outcome == linear.Valid {
				t.Fatalf("history %d: replay is invalid (%s), the store is not\n%s", i, v.Explanation, render(ops))
			}
		}
	}
	if invalid < *histories/50 {
		t.Errorf("only %d invalid ones", invalid)
	}
}

// FuzzCheck lets the fuzzer choose the seed and the shape of a history.
func FuzzCheck(f *testing.F) {
	for i := range len(linear.Models()) {
		f.Add(uint64(i), uint8(i), true)
	}
	f.Fuzz(func(t *testing.T, seed uint64, which uint8, strict bool) {
		names := linear.Models()
		model := names[int(which)%len(names)]
		if model == "replay" {
			return
		}
		ops, opt, _ := smallHistory(rand.New(rand.NewPCG(seed, seed)), model)
		opt.StrictTries = strict && hasTries(model)
		got := linear.Check(ops, model, opt)
		opt.Engine = "porcupine"
		if want := linear.Check(ops, model, opt); got.Outcome != want.Outcome {
			t.Fatalf("%s: %v (%s), porcupine %v\n%s", model, got.Outcome, got.Explanation+got.Reason, want.Outcome, render(ops))
		}
	})
}

// FuzzOperations feeds arbitrary operations: no panic, and no verdict on what
// is ill-formed.
func FuzzOperations(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x01\x05\x01\x00\x03\x02\x01\x06\x09"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		names := linear.Models()
		var ops []linear.Operation
		for ; len(b) >= 6 && len(ops) < 10; b = b[6:] {
			ops = append(ops, linear.Operation{
				Process: int(b[0] % 4), F: linear.F(b[1] % 13), Status: linear.Status(b[2] % 4), Call: int64(b[3]), Return: int64(b[4]),
				Token: uint64(b[5] % 8), Delta: int64(b[5] % 2), Number: int64(b[5] % 4), Value: fmt.Sprint(b[5] % 3), Shared: b[5]&8 != 0,
			})
		}
		v := linear.Check(ops, names[int(which)%len(names)], linear.Options{StrictTries: which > 128, TTL: 5})
		if err := linear.Validate(ops); err != nil && v.Outcome != linear.Unknown {
			t.Errorf("a verdict on an ill-formed history: %v, %v", err, v)
		}
	})
}

// A search stops at its bounds and says so.
func TestBounds(t *testing.T) {
	cfg := gen.Config{Model: "register", Processes: 30, Operations: 4000, MinStep: 1, MaxStep: 100, Reads: 0.1}
	ops := gen.History(rand.New(rand.NewPCG(1, 1)), cfg)
	for i := range ops {
		if ops[i].F == linear.Write {
			ops[i].F = linear.Append // many orders, and zones do not apply
		}
	}
	for name, o := range map[string]linear.Options{"memory": {Memory: 2 << 20}, "time": {Timeout: 1}} {
		if v := linear.Check(ops, "register", o); v.Outcome != linear.Unknown || v.Reason == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
