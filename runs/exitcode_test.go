package runs

import (
	"errors"
	"testing"

	"locktorture/checker"
	"locktorture/internal/exit"
)

// TestExitCode: what a verdict comes to, with and without an expectation.
func TestExitCode(t *testing.T) {
	result := func(g checker.Grade, by checker.Breaker, kinds ...string) checker.Result {
		r := checker.Result{Grade: g, BrokenBy: by, Failed: g == checker.Unsafe || by == checker.TheLock, Counts: checker.Counts{Anomalies: map[string]int{}}}
		for _, k := range kinds {
			r.Counts.Anomalies[k]++
		}
		return r
	}
	holder := result(checker.FencedG, checker.TheHolder, "overrun")
	lock := result(checker.FencedG, checker.TheLock, "overrun", "double-grant")
	untested := result(checker.Unknown, checker.TheLock, "double-grant")
	for _, tt := range []struct {
		name        string
		result      checker.Result
		expect      string
		failure     error
		interrupted bool
		want        int
	}{
		{"safe", result(checker.Safe, checker.Nobody), "", nil, false, exit.OK},
		{"unsafe", result(checker.Unsafe, checker.TheLock, "double-grant"), "", nil, false, exit.Violated},
		{"unsafe, as expected", result(checker.Unsafe, checker.TheLock, "double-grant"), "unsafe", nil, false, exit.OK},
		{"unknown", result(checker.Unknown, checker.Nobody), "", nil, false, exit.Unknown},
		{"unknown is never as expected", result(checker.Unknown, checker.Nobody), "safe", nil, false, exit.Unknown},
		{"fenced, the holder overstayed", holder, "", nil, false, exit.OK},
		{"fenced, the lock broke its promise", lock, "", nil, false, exit.Violated},
		{"which was expected", lock, "fenced", nil, false, exit.OK},
		{"which was expected by name", lock, "fenced+double-grant", nil, false, exit.OK},
		{"the holder alone was expected", lock, "fenced+overrun", nil, false, exit.Violated},
		{"the holder alone, as expected", holder, "fenced+overrun", nil, false, exit.OK},
		{"the lock was expected, the holder alone was seen", holder, "fenced+double-grant", nil, false, exit.Violated},
		{"the lock broke its promise, nothing tested the fence", untested, "", nil, false, exit.Violated},
		{"it may, but whether the fence holds is unknown", untested, "fenced", nil, false, exit.Unknown},
		{"it may not", untested, "safe", nil, false, exit.Violated},
		{"interrupted", lock, "", nil, true, exit.Interrupted},
		{"the harness failed", holder, "", errors.New("no"), false, exit.Harness},
	} {
		e, err := ParseExpect(tt.expect)
		if err != nil {
			t.Fatal(err)
		}
		if got := ExitCode(tt.result, tt.expect, e, tt.failure, tt.interrupted); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
