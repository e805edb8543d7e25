package checker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// renamed is a history whose faults have names that nobody knows, and declare what they are.
func renamed(h history.History, prefix string) history.History {
	out := make(history.History, len(h))
	for i, op := range h {
		if op.F == history.Fault || op.F == history.Heal {
			traits := op.FaultTraits()
			op.Key, op.Traits = prefix+op.Key, &traits
		}
		out[i] = op
	}
	return out
}

// TestFaultsAreWhatTheyDeclare judges each history of the corpus, whose faults are known by
// their names, and the same history with other names and declared faults. The names must make
// no difference.
func TestFaultsAreWhatTheyDeclare(t *testing.T) {
	const prefix = "declared-"
	faults := 0
	for name, about := range corpus(t) {
		h := about.read(t, name)
		o := about.Options
		want := checker.Check(h, o, invariant.Counter{})
		o.Nemeses = nil
		for _, n := range about.Options.Nemeses {
			o.Nemeses = append(o.Nemeses, prefix+n)
		}
		got := checker.Check(renamed(h, prefix), o, invariant.Counter{})
		faults += got.Counts.Faults
		if d := cmp.Diff(asJSON(t, want, prefix), asJSON(t, got, prefix)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if faults < 50 {
		t.Errorf("only %d faults in the corpus", faults)
	}
}

// asJSON is a verdict without the declarations of its faults and the prefix of their names.
func asJSON(t *testing.T, r checker.Result, prefix string) string {
	for i := range r.Incidents.List {
		in := &r.Incidents.List[i]
		if in.Cause != nil {
			cause := *in.Cause
			cause.Traits, in.Cause = nil, &cause
		}
		for j := range in.Faults {
			in.Faults[j].Traits = nil
		}
		for j := range in.Witness.Faults {
			in.Witness.Faults[j].Traits = nil
		}
	}
	for _, p := range r.Properties {
		for i := range p.Anomalies {
			for j := range p.Anomalies[i].Faults {
				p.Anomalies[i].Faults[j].Traits = nil
			}
		}
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), prefix, "")
}

// TestFaultThatNobodyKnows: whether a server's loss of a lock is held against a release hangs
// on what the fault declares.
func TestFaultThatNobodyKnows(t *testing.T) {
	o := bounded
	o.Model = ""
	taken := func(traits *history.FaultTraits) func(b *build) {
		return func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).fault("melt", 1, 0, "n1", 2300, 2600)
			b.probe(2200, "p2:2", 4100).release(1, 2500, 2510, history.OK).probe(2550, "", 0)
			for i := range b.h {
				if f := b.h[i].F; f == history.Fault || f == history.Heal {
					b.h[i].Traits = traits
				}
			}
		}
	}
	one := map[string]int{"foreign-release": 1}
	run(t, []row{
		{"it declares nothing", o, nil, taken(nil), one},
		{"it slows messages", o, nil, taken(&history.FaultTraits{Effect: history.Slowed}), one},
		{"it takes locks away", o, nil, taken(&history.FaultTraits{TakesLocks: true}), nil},
		{"servers stand still", o, nil, taken(&history.FaultTraits{Effect: history.Stopped}), nil},
	})
}
