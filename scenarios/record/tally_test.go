package record_test

import (
	"testing"

	"locktorture/internal/exit"
	"locktorture/scenarios/record"
)

// TestExit: the exit code of each thing that plays of a case can come to.
func TestExit(t *testing.T) {
	for _, c := range []struct {
		why  string
		of   record.Tally
		want int
	}{
		{"all as expected", record.Tally{Of: 3, AsExpect: 3}, exit.OK},
		{"one was not", record.Tally{Of: 3, AsExpect: 2}, exit.Violated},
		{"a race that did not show its hazard yet", record.Tally{Of: 19, AsExpect: 19, Missed: 19}, exit.OK},
		{"a race that never shows it", record.Tally{Of: 20, AsExpect: 20, Missed: 20}, exit.Violated},
		{"a race that showed it once", record.Tally{Of: 20, AsExpect: 20, Missed: 19}, exit.OK},
		{"nothing served it", record.Tally{Skipped: "no Docker"}, exit.Unknown},
		{"the harness failed once, and no play differed", record.Tally{Of: 3, AsExpect: 3, Failed: "no disk"}, exit.Harness},
	} {
		if got := c.of.Exit(); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}
