package invariant_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/checker/linear"
)

// TestAtoms: what a whole section comes to as one operation of its model, and why another
// comes to none.
func TestAtoms(t *testing.T) {
	reads := func(values ...string) checker.Section { return checker.Section{Process: 3, Reads: values} }
	writes := func(value string, before ...string) checker.Section {
		return checker.Section{Process: 3, Reads: before, Write: value, Wrote: true}
	}
	for _, tt := range []struct {
		name string
		of   checker.Sectioned
		s    checker.Section
		want linear.Operation
		why  string
	}{
		{"one more", invariant.Counter{}, writes("8", "7"), linear.Operation{F: linear.FetchAdd, Number: 7, Delta: 1}, ""},
		{"cut off after its read", invariant.Counter{}, reads("7"), linear.Operation{F: linear.Read, Number: 7}, ""},
		{"a write that nothing was read for", invariant.Counter{}, writes("8"), linear.Operation{}, ""},
		{"cut off before its read", invariant.Counter{}, reads(), linear.Operation{}, ""},
		{"read no number", invariant.Counter{}, writes("8", "x"), linear.Operation{}, `"x" is not a number`},
		{"wrote no number", invariant.Counter{}, writes("y", "7"), linear.Operation{F: linear.Read, Number: 7}, `"y" is not a number`},

		{"read one value", invariant.Register{}, reads("a", "a"), linear.Operation{F: linear.Read, Value: "a"}, ""},
		{"read two values", invariant.Register{}, reads("a", "b"), linear.Operation{}, `process 3 saw "a" and "b" in one section`},
		{"read back what it wrote", invariant.Register{}, writes("a", "a"), linear.Operation{F: linear.Write, Value: "a"}, ""},
		{"read back another's", invariant.Register{}, writes("a", "b"), linear.Operation{}, `process 3 saw "a" and "b" in one section`},
		{"cut off after its write", invariant.Register{}, writes("a"), linear.Operation{F: linear.Write, Value: "a"}, ""},
		{"cut off before it read or wrote", invariant.Register{}, reads(), linear.Operation{}, ""},

		{"a step", invariant.StateMachine{}, writes("paid", "created"), linear.Operation{F: linear.CAS, Expect: "created", Value: "paid"}, ""},
		{"a new order", invariant.StateMachine{}, writes("created"), linear.Operation{F: linear.Write, Value: "created"}, ""},
		{"cut off before its step", invariant.StateMachine{}, reads("paid"), linear.Operation{F: linear.Read, Value: "paid"}, ""},
		{"cut off before it looked", invariant.StateMachine{}, reads(), linear.Operation{}, ""},
	} {
		t.Run(tt.of.SectionModel()+", "+tt.name, func(t *testing.T) {
			got, why := tt.of.Atom(tt.s)
			if d := cmp.Diff(tt.want, got); d != "" || why != tt.why {
				t.Errorf("%q, want %q\n%s", why, tt.why, d)
			}
		})
	}
}
