package main

import (
	"errors"
	"testing"

	"locktorture/checker"
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
		{"safe", result(checker.Safe, checker.Nobody), "", nil, false, exitOK},
		{"unsafe", result(checker.Unsafe, checker.TheLock, "double-grant"), "", nil, false, exitViolated},
		{"unsafe, as expected", result(checker.Unsafe, checker.TheLock, "double-grant"), "unsafe", nil, false, exitOK},
		{"unknown", result(checker.Unknown, checker.Nobody), "", nil, false, exitUnknown},
		{"unknown is never as expected", result(checker.Unknown, checker.Nobody), "safe", nil, false, exitUnknown},
		{"fenced, the holder overstayed", holder, "", nil, false, exitOK},
		{"fenced, the lock broke its promise", lock, "", nil, false, exitViolated},
		{"which was expected", lock, "fenced", nil, false, exitOK},
		{"which was expected by name", lock, "fenced+double-grant", nil, false, exitOK},
		{"the holder alone was expected", lock, "fenced+overrun", nil, false, exitViolated},
		{"the holder alone, as expected", holder, "fenced+overrun", nil, false, exitOK},
		{"the lock was expected, the holder alone was seen", holder, "fenced+double-grant", nil, false, exitViolated},
		{"the lock broke its promise, nothing tested the fence", untested, "", nil, false, exitViolated},
		{"it may, but whether the fence holds is unknown", untested, "fenced", nil, false, exitUnknown},
		{"it may not", untested, "safe", nil, false, exitViolated},
		{"interrupted", lock, "", nil, true, exitInterrupted},
		{"the harness failed", holder, "", errors.New("no"), false, exitHarness},
	} {
		e, err := parseExpect(tt.expect)
		if err != nil {
			t.Fatal(err)
		}
		if got := exitCode(tt.result, tt.expect, e, tt.failure, tt.interrupted); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
