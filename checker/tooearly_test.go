package checker_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestNoFaultIsBlamedTooEarly judges each history of the corpus, and those of the runs that the
// pattern TORTURE_RUNS names (results/selftest.md). What a witness or an incident names as a fault
// in place must not have struck after the anomaly.
func TestNoFaultIsBlamedTooEarly(t *testing.T) {
	named := map[history.Effect]int{}
	for name, about := range corpus(t) {
		namedInTime(t, name, about.read(t, name), about.Options, named)
	}
	if named[history.Killed] == 0 || named[history.Skewed] == 0 || named[history.Stopped] == 0 {
		t.Errorf("the corpus blames too few kinds of faults: %v", named)
	}
	runs, err := filepath.Glob(os.Getenv("TORTURE_RUNS"))
	if err != nil || len(runs) == 0 && os.Getenv("TORTURE_RUNS") != "" {
		t.Fatalf("TORTURE_RUNS: no runs: %v", err)
	}
	for _, dir := range runs {
		h, _, err := history.ReadFile(filepath.Join(dir, "history.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		namedInTime(t, dir, h, optionsOf(t, dir), named)
	}
	t.Logf("faults named, by effect: %v", named)
}

// optionsOf are the options by which a run was judged.
func optionsOf(t *testing.T, dir string) checker.Options {
	t.Helper()
	var run struct{ Options checker.Options }
	b, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if err == nil {
		err = json.Unmarshal(b, &run)
	}
	if err != nil {
		t.Fatal(err)
	}
	return run.Options
}

// namedInTime counts the faults that a verdict names, and complains of those that had not
// struck yet.
func namedInTime(t *testing.T, name string, h history.History, o checker.Options, named map[history.Effect]int) {
	t.Helper()
	look := func(what string, until int64, faults ...history.Op) {
		for _, f := range faults {
			named[f.FaultTraits().Effect]++
			if struck := struckAt(h, f); struck > until {
				t.Errorf("%s: %s of %.3f s names fault %d (%s), which struck at %.3f s", name, what, float64(until)/1e9, f.Fault, f.Kind(), float64(struck)/1e9)
			}
		}
	}
	r := checker.Check(h, o, nil)
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			look(a.Kind, a.Time, a.Faults...)
		}
	}
	for _, i := range r.Incidents.List {
		look("an incident", i.End, i.Faults...)
		look("its witness", i.Witness.Time, i.Witness.Faults...)
		if i.Cause != nil {
			look("its cause", i.Witness.Time, *i.Cause)
		}
	}
}

// struckAt is the moment before which a fault cannot have struck: that of its kill, as its
// crash tells it, else when it began, else half a second before it was seen.
func struckAt(h history.History, f history.Op) int64 {
	at, known := f.Began()
	if !known {
		at = f.Time - int64(f.FaultTraits().SeenLate)
	}
	if f.FaultTraits().Effect != history.Killed {
		return at
	}
	nearest, lived := int64(math.MaxInt64), int64(0)
	for _, op := range h {
		d := max(op.Time-f.Time, f.Time-op.Time)
		switch sent, told := op.Began(); {
		case op.Client != f.Client || op.Process < 0:
		case op.F == history.Crash && d < nearest && told:
			nearest, at = d, max(at, sent)
		case op.F == history.Crash && d < nearest:
			nearest, at = d, max(at, lived)
		case !op.F.Event():
			lived = op.Time
		}
	}
	return min(at, f.Time)
}
