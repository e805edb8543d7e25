package history_test

import (
	"testing"

	"locktorture/history"
)

// TestBegan: an event that is told late says since when it was so, and never that it was later.
func TestBegan(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   history.Op
		at   int64
		ok   bool
	}{
		{"a fault seen late", history.Op{F: history.Fault, Time: 9, UntilMin: 4}, 4, true},
		{"a fault that says nothing", history.Op{F: history.Fault, Time: 9}, 0, false},
		{"a loss noticed on a clock that is ahead", history.Op{F: history.Lost, Time: 9, UntilMin: 12}, 9, true},
		{"a stall since the start of the run", history.Op{F: history.Stall, Time: 9}, 0, true},
	} {
		if at, ok := tt.op.Began(); ok != tt.ok || ok && at != tt.at {
			t.Errorf("%s: %d, %v", tt.name, at, ok)
		}
	}
}
