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
