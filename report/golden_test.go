package report_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// A told is a run as its summary tells it.
type told struct {
	name string
	make func(run *report.Run, res *checker.Result)
}

// runs are one of each kind that a reader has to tell from the others.
var runs = []told{
	{"unsafe", func(run *report.Run, res *checker.Result) {
		run.Exit, res.BrokenBy = 1, checker.TheLock
		res.Headline = "6 incidents (clock jump ×3, stopped client ×3); 12 of 340 updates lost"
	}},
	{"fenced", func(run *report.Run, res *checker.Result) {
		res.Grade, res.BrokenBy, res.Failed = checker.FencedG, checker.TheHolder, false
		res.Headline = "6 incidents (stopped client ×6); the fence rejected 9 stale operations"
		res.Properties = append(res.Properties, checker.Property{Name: checker.Workload, Status: checker.Violated, Total: 12, Anomalies: []checker.Anomaly{{Kind: "lost-update", Store: history.Plain}}})
		for i := range res.Incidents.List {
			in := &res.Incidents.List[i]
			in.Cause = &history.Op{Key: "pause", Client: 2}
			in.Anomalies = map[string]int{"overrun": i + 1}
			in.Witness.Sentence = `c2, under lease 40 of stock-0, wrote stock = "95" at 4.719 s (refused by the store), 1.46 s after its lease had expired (3.259 s)`
		}
		res.Properties[1] = checker.Property{Name: checker.Fencing, Status: checker.Kept}
	}},
	{"safe", func(_ *report.Run, res *checker.Result) {
		harmless(res)
		res.Grade, res.Headline = checker.Safe, "no violation in 2,777 grants; 41 effective faults"
		res.Faults[1].Waiting = 1
		res.Bound = "0 of 41 effective faults led to a violation, so, at 95 % confidence, fewer than 7.3 % lead to one"
	}},
	{"safe-but-failed", func(run *report.Run, res *checker.Result) {
		harmless(res)
		run.Exit, res.Grade, res.Failed = 1, checker.Safe, true
		dead := checker.Anomaly{Kind: "deadlock", Property: checker.Liveness, Lock: "stock", Time: 9e9, Sentence: "c2 waited in vain for stock at 9.000 s although its last holder, c1 with lease 7, had been killed at 2.000 s"}
		res.Properties[3] = checker.Property{Name: checker.Liveness, Status: checker.Violated, Total: 1, Anomalies: []checker.Anomaly{dead}}
		res.Incidents = checker.Incidents{Total: 1, List: []checker.Incident{{Number: 1, Start: 2e9, End: 9e9, Anomalies: map[string]int{"deadlock": 1}, Witness: dead}}}
		res.Headline = "1 incident, no fault in place"
	}},
	{"unknown", func(run *report.Run, res *checker.Result) {
		harmless(res)
		run.Exit, res.Grade, res.Reason = 3, checker.Unknown, "12 grants, at least 200 are needed; pause was injected 4 times but never took effect (it takes effect when a holder was paused for longer than its lease lasts)"
		res.Headline = res.Reason
	}},
	{"interrupted", func(run *report.Run, res *checker.Result) {
		harmless(res)
		run.Exit, res.Grade, res.Ended, res.Counts.Duration = 130, checker.Safe, "interrupted", int64(4500*time.Millisecond)
		res.Headline = "no violation in 301 grants; 4 effective faults"
	}},
	{"harness-failure", func(run *report.Run, res *checker.Result) {
		harmless(res)
		run.Exit, res.Grade, res.Reason = 4, checker.Unknown, "the harness failed: redis-3 did not come back: connection refused"
		res.Headline = res.Reason
	}},
	{"driver-failure", func(run *report.Run, res *checker.Result) {
		harmless(res)
		run.Exit, res.Grade, res.Reason = 5, checker.Unknown, "the driver of c2 printed \"connected\", which is no answer: stdout is for the protocol; log to stderr"
		res.Headline = res.Reason
	}},
}

// harmless takes from a result what was violated in it.
func harmless(res *checker.Result) {
	res.Incidents, res.Failed, res.Counts.Anomalies = checker.Incidents{}, false, nil
	res.Properties[0] = checker.Property{Name: checker.Exclusion, Status: checker.Kept}
	res.Stores = res.Stores[1:]
}

// TestSummary: each summary on terminals of 80 and of 120 columns, with and without colour. No
// line is longer, and one screen is enough.
func TestSummary(t *testing.T) {
	for _, c := range runs {
		t.Run(c.name, func(t *testing.T) {
			var all bytes.Buffer
			for _, look := range []report.Look{{Width: 80}, {Width: 80, Color: true}, {Width: 120}, {Width: 120, Color: true}} {
				run, res, _ := sample.Broken().Make()
				run.Reproduce = "torture run --backend redlock --workload seckill --nemesis clock,pause --duration 30s --clients 5 --ttl 2s --seed 7 --cluster auto --no-config"
				c.make(&run, &res)
				var text bytes.Buffer
				if err := report.Text(&text, run, res, look); err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
				if len(lines) > 23 { // and the line of the report
					t.Errorf("%d lines at %d columns", len(lines), look.Width)
				}
				for _, line := range lines {
					if n := utf8.RuneCountInString(line); n > look.Width && !look.Color {
						t.Errorf("%d columns of %d: %s", n, look.Width, line)
					}
				}
				fmt.Fprintf(&all, "=== %d columns, colour %v\n%s", look.Width, look.Color, text.String())
			}
			golden(t, c.name+".txt", all.Bytes())
		})
	}
}

// TestColourChangesNoWord: without its marks a summary in colour is the other.
func TestColourChangesNoWord(t *testing.T) {
	for _, c := range runs {
		run, res, _ := sample.Broken().Make()
		c.make(&run, &res)
		var plain, colour bytes.Buffer
		if err := report.Text(&plain, run, res, report.Look{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if err := report.Text(&colour, run, res, report.Look{Width: 80, Color: true}); err != nil {
			t.Fatal(err)
		}
		text := colour.String()
		for _, code := range []string{"1;31", "1;32", "1;33", "2", "0"} {
			text = strings.ReplaceAll(text, "\x1b["+code+"m", "")
		}
		if d := cmp.Diff(plain.String(), text); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if colour.Len() == plain.Len() {
			t.Errorf("%s: no colour", c.name)
		}
	}
}

func TestJUnitGolden(t *testing.T) {
	safe := sample.Broken()
	safe.Broken = false
	for _, c := range []struct {
		name  string
		shape sample.Shape
		exit  int
	}{
		{"unsafe", sample.Broken(), 1},
		{"expected", sample.Broken(), 0},
		{"safe", safe, 0},
		{"unknown", sample.Shape{Clients: 2}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, res, _ := c.shape.Make()
			run.Exit = c.exit
			if c.name == "unknown" {
				res.Grade, res.Sentence, res.Reason = "", "nothing could be shown.", "0 grants, 200 are needed"
			}
			var junit bytes.Buffer
			if err := report.JUnit(&junit, report.Cases(run, res)); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".xml", junit.Bytes())
		})
	}
}
