package matrix

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/registry"
	"locktorture/report/scorecard"
)

func TestExpectationsAreStrict(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"good", "none:\n  none: unsafe+double-grant\n  clock: n/a\n  pause:\n    counter: unsafe+lost-update\n", ""},
		{"empty", "# nothing\n", "nothing is expected"},
		{"backend", "none:\n  none: safe\nredis-sett:\n  none: safe\n", `e.yaml:3: unknown key "redis-sett"; did you mean redis-set?`},
		{"nemesis", "none:\n  none: safe\n  paus: safe\n", `e.yaml:3: no nemesis is called "paus"`},
		{"all is no cell", "none:\n  all: safe\n", `e.yaml:2: no nemesis is called "all"`},
		{"set out of order", "none:\n  pause+kill-client: safe\n", `e.yaml:2: no nemesis`},
		{"workload", "none:\n  none:\n    conter: safe\n", `e.yaml:3: unknown key "conter"; did you mean counter?`},
		{"grade", "none:\n  none: ok\n", `e.yaml:2: expectation "ok": the grade must be`},
		{"unknown is never expected", "none:\n  none: unknown\n", "unknown is never a pass"},
		{"anomaly", "none:\n  none: unsafe+lost-updates\n", `e.yaml:2: expectation "unsafe+lost-updates": no anomaly`},
		{"twice", "none:\n  none: safe\n  none: unsafe\n", `e.yaml:3: `},
		{"a choice", "none:\n  pause:\n    counter: {any: [unsafe+lost-update, safe], why: it depends}\n", "CHOICE"},
		{"a choice for all workloads", "none:\n  pause:\n    any: [unsafe+lost-update, safe]\n    why: it depends\n", "CHOICE"},
		{"a choice without a reason", "none:\n  none: {any: [safe, unsafe]}\n", "e.yaml:2: a choice of grades needs the fields any and why"},
		{"a choice of one", "none:\n  none: {any: [safe], why: x}\n", "e.yaml:2: any: a list of at least two"},
		{"a choice of what does not exist", "none:\n  none:\n    why: x\n    any: [safe, unknown]\n", "e.yaml:4: expectation \"unknown\": unknown is never a pass"},
		{"a choice with a workload", "none:\n  none: {any: [safe, unsafe], why: x, counter: safe}\n", `e.yaml:2: unknown key "counter"`},
		{"not judged without a reason", "none:\n  none: {unjudged: \"\"}\n", "needs only the field unjudged, with the reason"},
		{"not judged and a choice", "none:\n  none: {any: [safe, unsafe], unjudged: x}\n", "needs only the field unjudged, with the reason"},
		{"a rate, which belongs into the ledger", "none:\n  none: {any: [safe, unsafe], why: x, rate: 3 of 4}\n", `e.yaml:2: unknown key "rate"`},
		{"a list", "none:\n  none: [safe]\n", "e.yaml:2: a mapping is needed"},
		{"a cell of nothing", "none:\n  none: {}\n", "e.yaml:2: nothing is expected here"},
		{"no YAML", "none: [\n", "e.yaml: line "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "e.yaml")
			if err := os.WriteFile(path, []byte(tt.file), 0o644); err != nil {
				t.Fatal(err)
			}
			e, err := ReadExpectations(path, slices.Collect(maps.Keys(registry.Locks())))
			switch {
			case (tt.want == "" || tt.want == "CHOICE") && err != nil:
				t.Fatal(err)
			case tt.want == "CHOICE":
				if got := e.Of("none", "pause", "counter"); got != "unsafe+lost-update or safe" {
					t.Errorf("of none pause counter %q", got)
				}
			case tt.want == "":
				if got := e.Of("none", "pause", "counter"); got != "unsafe+lost-update" {
					t.Errorf("of none pause counter %q", got)
				}
				if got := e.Of("none", "pause", "seckill"); got != "" {
					t.Errorf("of none pause seckill %q, want nothing", got)
				}
			case err == nil || !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// graded returns a try with a verdict; an anomaly stands in the property that it violates.
func graded(seed uint64, grade checker.Grade, kinds ...string) scorecard.Try {
	r := &checker.Result{Grade: grade, Counts: checker.Counts{Anomalies: map[string]int{}}}
	for _, k := range kinds {
		r.Counts.Anomalies[k]++
		property := "exclusion"
		if slices.Contains([]string{"deadlock", "orphan", "immortal"}, k) {
			property = "liveness"
		}
		r.Properties = append(r.Properties, checker.Property{Name: property, Anomalies: []checker.Anomaly{{Kind: k}}})
	}
	return scorecard.Try{Backend: "b", Nemesis: "pause", Workload: "counter", Seed: seed, State: scorecard.Tried, Result: r}
}

func TestDiffersInBothDirections(t *testing.T) {
	other := func(state string) scorecard.Try {
		return scorecard.Try{Backend: "b", Nemesis: "pause", Workload: "counter", Seed: 1, State: state, Reason: "because"}
	}
	for _, tt := range []struct {
		name, expected string
		tries          []scorecard.Try
		want           string
		curable        bool
	}{
		{"as expected", "safe", []scorecard.Try{graded(1, checker.Safe)}, "", false},
		{"a lock broke", "safe", []scorecard.Try{graded(1, checker.Unsafe, "overrun")}, "expected safe, got unsafe", false},
		{"a broken lock looks safe", "unsafe", []scorecard.Try{graded(1, checker.Safe)}, "expected unsafe, got safe", true},
		{"a second seed shows it", "unsafe+overrun", []scorecard.Try{graded(1, checker.Safe), graded(2, checker.Unsafe, "overrun")}, "", false},
		{"a second seed does not wash it off", "safe", []scorecard.Try{graded(1, checker.Unsafe, "overrun"), graded(2, checker.Safe)}, "expected safe, got unsafe", false},
		{"an anomaly is missing", "safe+deadlock", []scorecard.Try{graded(1, checker.Safe)}, "expected deadlock, none was found", true},
		{"a deadlock that nobody expects", "safe", []scorecard.Try{graded(1, checker.Safe, "deadlock")}, "unexpected deadlock", false},
		{"the same beside unsafe", "unsafe", []scorecard.Try{graded(1, checker.Unsafe, "overrun", "deadlock")}, "unexpected deadlock", false},
		{"any other beside safe", "safe", []scorecard.Try{graded(1, checker.Safe, "nonlinearizable")}, "unexpected nonlinearizable", false},
		{"unknown is never as expected", "safe", []scorecard.Try{graded(1, checker.Unknown)}, "got unknown", true},
		{"a retry replaces an unknown", "safe", []scorecard.Try{graded(1, checker.Unknown), graded(2, checker.Safe)}, "", false},
		{"a lock that breaks its promise where the holder was expected to", "fenced+overrun", []scorecard.Try{graded(1, checker.FencedG, "double-grant")}, "expected overrun, none was found", false},
		{"the same beside the holder", "fenced+overrun", []scorecard.Try{graded(1, checker.FencedG, "overrun", "double-grant")}, "unexpected double-grant: the lock broke its promise", false},
		{"a lock that is known to break it and does not", "fenced+double-grant", []scorecard.Try{graded(1, checker.FencedG, "overrun")}, "expected double-grant, none was found", true},
		{"a lock that is known to break it", "fenced+double-grant", []scorecard.Try{graded(1, checker.FencedG, "overrun", "double-grant")}, "", false},
		{"one of several", "unsafe+overrun or safe", []scorecard.Try{graded(1, checker.Safe)}, "", false},
		{"another of several", "unsafe+overrun or safe", []scorecard.Try{graded(1, checker.Unsafe, "overrun")}, "", false},
		{"none of several", "unsafe+overrun or safe", []scorecard.Try{graded(1, checker.FencedG, "overrun")}, "expected unsafe+overrun or safe, got fenced", true},
		{"the wrong anomaly of several", "safe+deadlock or safe", []scorecard.Try{graded(1, checker.Safe, "orphan")}, "unexpected orphan", false},
		{"several and unknown", "unsafe+overrun or safe", []scorecard.Try{graded(1, checker.Unknown)}, "got unknown", true},
		{"not judged", notJudged, []scorecard.Try{graded(1, checker.Unknown)}, "", false},
		{"nothing is said of it", "", []scorecard.Try{graded(1, checker.Safe)}, "nothing is expected", false},
		{"not possible", "n/a", []scorecard.Try{other(scorecard.NotPossible)}, "", false},
		{"not possible any more", "safe", []scorecard.Try{other(scorecard.NotPossible)}, "not possible: because", false},
		{"possible now", "n/a", []scorecard.Try{graded(1, checker.Safe)}, "expected that the fault is not possible", false},
		{"not run is neither", "safe", []scorecard.Try{other(scorecard.NotRun)}, "", false},
		{"not served is neither", "safe", []scorecard.Try{other(scorecard.NotServed)}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := scorecard.Rows(tt.tries)[0]
			got := differs(tt.expected, row, 1)
			if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
				t.Errorf("differs: %q, want %q", got, tt.want)
			}
			if got := curable(tt.expected, row, 1); got != tt.curable {
				t.Errorf("curable: %v, want %v", got, tt.curable)
			}
		})
	}
}

// TestSeedsAskedForMustBeKnown: with ten seeds asked for, nine are too few.
func TestSeedsAskedForMustBeKnown(t *testing.T) {
	row := scorecard.Rows([]scorecard.Try{graded(1, checker.Safe), graded(2, checker.Unknown)})[0]
	if got := differs("safe", row, 2); !strings.Contains(got, "1 of 2 verdicts are unknown") {
		t.Errorf("differs: %q", got)
	}
}

func TestByWaiting(t *testing.T) {
	c := Config{Locks: registry.Locks(), Backends: []string{"local", "none", "redis-set"}, Nemeses: []string{"none", "pause"}, Workloads: []string{"counter"}, Seeds: 1, Seed: 1, TTL: time.Second, Duration: time.Second}
	plan := c.plan()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	byWaiting(plan, []scorecard.Point{
		{Backend: "none", Nemesis: "pause", Workload: "counter", Time: day.Add(time.Hour)},
		{Backend: "local", Nemesis: "none", Workload: "counter", Time: day},
	})
	var got []string
	for _, p := range plan {
		got = append(got, p.Backend+" "+p.Nemesis)
	}
	want := []string{"none none", "redis-set none", "redis-set pause", "local pause", "local none", "none pause"}
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q: the smoke set, then what never ran, then the oldest", got, want)
	}
}

// TestFoundExpectationsCanBeExpected: what a matrix found is as expected
// when it is read again, and covers the same cells.
func TestFoundExpectationsCanBeExpected(t *testing.T) {
	a, b := graded(1, checker.Unsafe, "overrun", "deadlock"), graded(1, checker.Safe)
	a.Backend, b.Backend = "none", "local"
	c := scorecard.Try{Backend: "local", Nemesis: "clock", Workload: "counter", State: scorecard.NotPossible}
	rows := scorecard.Rows([]scorecard.Try{a, b, c})
	var out bytes.Buffer
	if err := writeExpectations(&out, rows); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "found.yaml")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := ReadExpectations(path, slices.Collect(maps.Keys(registry.Locks())))
	if err != nil {
		t.Fatal(err)
	}
	e.judge(rows, 1)
	for _, r := range rows {
		if r.Expected == "" || r.Differs != "" {
			t.Errorf("%s %s: expected %q, differs %q", r.Backend, r.Nemesis, r.Expected, r.Differs)
		}
	}
}

// TestRetryHasTwiceTheTime: seeds beyond those that were asked for are retries.
func TestRetryHasTwiceTheTime(t *testing.T) {
	c := Config{Locks: registry.Locks(), Seeds: 2, Seed: 5, TTL: time.Second, Duration: 10 * time.Second}
	for seed, want := range map[uint64]string{5: "10s", 6: "10s", 7: "20s"} {
		args := c.try("local", "none", "counter", seed).Args
		if got := args[slices.Index(args, "--duration")+1]; got != want {
			t.Errorf("seed %d runs for %s, want %s", seed, got, want)
		}
	}
}
