package history_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/history"
)

// TestHoldsAreWrittenAsTheyAreRead holds the encoder against encoding/json: that nobody holds
// a lock is not that nobody looked for holds.
func TestHoldsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, holds := range [][]history.Hold{
		nil, {},
		{{Owner: "p1:a", Until: history.Never}},
		{{Owner: "p1:\"a", Mode: history.Shared, Until: 9}, {Owner: "p2:b", Mode: history.Permits, Permits: 2}},
	} {
		op := history.Op{Time: 3, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: "n1", UntilMin: 2, Holds: holds}
		line := op.AppendJSON(nil)
		want, err := json.Marshal(op)
		if err != nil {
			t.Fatal(err)
		}
		if string(line) != string(want) {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		h, _, err := history.ReadAll(strings.NewReader(string(line) + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(holds, h[0].Holds); d != "" {
			t.Error(d)
		}
	}
}

// TestHoldsThatCannotBe are refused, each with its reason.
func TestHoldsThatCannotBe(t *testing.T) {
	for _, tt := range []struct{ name, fields, want string }{
		{"of an acquire", `"type":"invoke","f":"acquire","holds":[]`, "acquire with holds"},
		{"beside an owner", `"type":"info","f":"probe","value":"a","holds":[]`, "probe of holds and of one owner"},
		{"asked for later", `"type":"info","f":"probe","until_min":10,"holds":[]`, "probe from 10 to 9"},
		{"of nobody", `"type":"info","f":"probe","holds":[{"owner":""}]`, "hold without an owner"},
		{"twice", `"type":"info","f":"probe","holds":[{"owner":"a"},{"owner":"a"}]`, `two holds of "a"`},
		{"of a barrier", `"type":"info","f":"probe","holds":[{"owner":"a","mode":"party"}]`, `hold of unknown mode "party"`},
		{"of no permits", `"type":"info","f":"probe","holds":[{"owner":"a","mode":"permits"}]`, `hold of 0 permits with mode "permits"`},
		{"of a reader's permits", `"type":"info","f":"probe","holds":[{"owner":"a","mode":"shared","permits":1}]`, `hold of 1 permits with mode "shared"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := history.ReadAll(strings.NewReader(`{"time":9,"process":-2,` + tt.fields + "}\n"))
			if want := "history: line 1: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// TestOwners: of a probe of one owner, and of one of all.
func TestOwners(t *testing.T) {
	for _, tt := range []struct {
		op   history.Op
		want []string
	}{
		{history.Op{F: history.Probe}, nil},
		{history.Op{F: history.Probe, Value: "a"}, []string{"a"}},
		{history.Op{F: history.Probe, Holds: []history.Hold{}}, nil},
		{history.Op{F: history.Probe, Holds: []history.Hold{{Owner: "a"}, {Owner: "b"}}}, []string{"a", "b"}},
	} {
		if d := cmp.Diff(tt.want, tt.op.Owners()); d != "" {
			t.Error(d)
		}
	}
}
