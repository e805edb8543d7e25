package checker_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// A header says what a recorded history is and what must be found in it.
type header struct {
	Source   string          `json:"source"` // how it was recorded, and why it is kept
	Expect   checker.Grade   `json:"expect"`
	BrokenBy checker.Breaker `json:"broken_by,omitempty"`
	Finds    map[string]int  `json:"finds"` // anomalies, all of them
	Workload string          `json:"workload"`
	Options  checker.Options `json:"options"`
}

// corpus is what is kept of histories, by the name of the file that says so.
func corpus(t *testing.T) map[string]header {
	t.Helper()
	names, err := filepath.Glob("testdata/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	all := map[string]header{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var h header
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(&h); err != nil || h.Source == "" {
			t.Fatalf("%s: header %+v: %v", name, h, err)
		}
		all[name] = h
	}
	return all
}

// read reads the history.
func (h header) read(t *testing.T, name string) []history.Op {
	t.Helper()
	ops, _, err := history.ReadFile(name + "l.gz")
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

// corpusInvariants are the invariants of the workloads of the corpus, by name.
var corpusInvariants = map[string]checker.Invariant{
	"counter": invariant.Counter{}, "scheduler": invariant.Scheduler{}, "seckill": invariant.Seckill{}, "statemachine": invariant.StateMachine{},
	"register": invariant.Register{}, "transfer": invariant.Transfer{},
	"start-gate": invariant.StartGate{}, "fan-in": invariant.FanIn{}, "phases": invariant.Phases{}, "controller": invariant.Controller{}, "document": invariant.Document{}, "rate": invariant.Rate{},
}

// TestCorpus judges histories that were recorded on real servers, and random ones of which the
// checker was wrong.
func TestCorpus(t *testing.T) {
	for name, want := range corpus(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			if corpusInvariants[want.Workload] == nil {
				t.Fatalf("no invariant %q", want.Workload)
			}
			h := want.read(t, name)
			r := checker.Check(h, want.Options, corpusInvariants[want.Workload])
			t.Log(r.Sentence)
			if r.Grade != want.Expect || r.BrokenBy != want.BrokenBy {
				t.Errorf("grade %s, broken by %q; want %s, by %q", r.Grade, r.BrokenBy, want.Expect, want.BrokenBy)
			}
			addUp(t, r)
			if d := cmp.Diff(want.Finds, r.Counts.Anomalies); d != "" {
				t.Error(d)
			}
		})
	}
}
