package history_test

import (
	"slices"
	"testing"

	"locktorture/history"
)

// TestBegan: an event that is told late says since when it was so, and never that it was
// later.
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

// TestNodes: whom a fault strikes is read as it was written.
func TestNodes(t *testing.T) {
	for _, names := range [][]string{nil, {"c2"}, {"c1", "redis-1", "redis-3"}} {
		op := history.Op{F: history.Fault, Node: history.JoinNodes(names)}
		if got := op.Nodes(); !slices.Equal(got, names) {
			t.Errorf("%q is read as %q", names, got)
		}
	}
}
