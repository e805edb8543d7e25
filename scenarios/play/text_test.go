package play

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/trial"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestText: what a play tells, on terminals of 80 and of 120 columns.
func TestText(t *testing.T) {
	var named scenarios.Named
	for _, n := range scenarios.All() {
		if n.Name == "gc-pause-after-check" {
			named = n
		}
	}
	r := Result{
		Play: Play{named, scenarios.Case{Backend: "redis-set", Expect: "unsafe+overrun+lost-update"}},
		Dir:  &trial.Dir{Path: "results/runs/20260102-150405-gc-pause-after-check"},
		Result: checker.Result{
			Grade: checker.Unsafe, Counts: checker.Counts{Anomalies: map[string]int{"overrun": 1, "lost-update": 1}},
			Properties: []checker.Property{{Name: checker.Exclusion, Status: checker.Violated, Total: 1, Anomalies: []checker.Anomaly{{
				Kind: "overrun", Property: checker.Exclusion,
				Sentence: `c1, under lease 1 of L, wrote L/counter = "1" at 4.100 s, 1.1 s after its lease had expired (3.000 s)`,
			}}}},
		},
		Run: report.Run{
			Facts: []string{"the pause fell between check and write"}, Measured: []report.Measure{{Name: "the stop of client 1", Value: "3.5 s"}},
		},
	}
	var out bytes.Buffer
	for _, width := range []int{80, 120} {
		from := out.Len()
		if err := r.Text(&out, width); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String()[from:], "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
	if *update {
		if err := os.WriteFile("testdata/text.txt", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/text.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), out.String()); d != "" {
		t.Error(d)
	}
}
