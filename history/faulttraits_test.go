package history_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"locktorture/history"
)

var declared = []history.FaultTraits{
	{},
	{Effect: history.Cut},
	{TakesLocks: true},
	{Effect: history.Demoted, TakesLocks: true, LeavesCopies: true, UpsetsAll: true, SeenLate: time.Millisecond, Ahead: time.Second},
	{LeavesCopies: true, Ahead: 1},
	{Effect: history.Skewed, Rate: 8},
	{Rate: 0.5, SeenLate: 1},
	{Effect: history.Down, Unplanned: true},
}

// TestTraitsAreWrittenAsTheyAreRead holds the encoder against encoding/json.
func TestTraitsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, traits := range declared {
		op := history.Op{Time: 3, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "melt", Fault: 1, Traits: &traits}
		line := op.AppendJSON(nil)
		want, err := json.Marshal(op)
		if err != nil || string(line) != string(want) {
			t.Errorf("%s, want %s, %v", line, want, err)
		}
		var got history.Op
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(op, got); d != "" {
			t.Error(d)
		}
		if got.FaultTraits() != traits {
			t.Errorf("%+v, want %+v", got.FaultTraits(), traits)
		}
	}
}

// TestFormerFaults: without traits the name tells, with them it does not.
func TestFormerFaults(t *testing.T) {
	op := history.Op{F: history.Fault, Key: "pause"}
	if got := op.FaultTraits().Effect; got != history.Stopped {
		t.Errorf("a pause of before: %q", got)
	}
	op.Traits = &history.FaultTraits{Effect: history.Cut}
	if got := op.FaultTraits(); got != *op.Traits {
		t.Errorf("a pause that declares otherwise: %+v", got)
	}
	op = history.Op{F: history.Fault, Key: "melt"}
	if got := op.FaultTraits(); got != (history.FaultTraits{}) {
		t.Errorf("a name that nobody knew: %+v", got)
	}
}
