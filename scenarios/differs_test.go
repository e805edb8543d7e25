package scenarios_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/scenarios"
)

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

// TestRace judges a case whose hazard shows in some plays only.
func TestRace(t *testing.T) {
	c := scenarios.Case{Expect: "unsafe+double-grant", Race: "two messages"}
	play := func(g checker.Grade, anomalies map[string]int) checker.Result {
		return checker.Result{Grade: g, Counts: checker.Counts{Anomalies: anomalies}}
	}
	for _, tt := range []struct {
		name    string
		result  checker.Result
		differs bool
		missed  bool
	}{
		{"it shows", play(checker.Unsafe, map[string]int{"double-grant": 1}), false, false},
		{"it does not", play(checker.Safe, nil), false, true},
		{"something else shows", play(checker.Safe, map[string]int{"deadlock": 1}), true, false},
		{"nothing is known", play(checker.Unknown, nil), true, false},
	} {
		if got := c.Differs(tt.result, scenarios.Played{}); (got != "") != tt.differs || c.Missed(tt.result) != tt.missed {
			t.Errorf("%s: differs %q, missed %v", tt.name, got, c.Missed(tt.result))
		}
	}
}
