//go:build !wasip1 && !simulated

package gotest

import (
	"testing"

	"locktorture/checker"
)

// TestFailure: what a failing test prints.
func TestFailure(t *testing.T) {
	r := checker.Result{Sentence: "unsafe: 2 double-grant", Properties: []checker.Property{{Anomalies: []checker.Anomaly{
		{Kind: "double-grant", Sentence: "c2 was granted it although c1 had it"}, {Kind: "double-grant", Sentence: "again"}, {Kind: "overrun", Sentence: "c1 wrote"},
	}}}}
	want := `unsafe: 2 double-grant
  double-grant: c2 was granted it although c1 had it
  overrun: c1 wrote
report: out/latest/report.html (go test -artifacts keeps it)`
	if got := failure(r, "out"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
