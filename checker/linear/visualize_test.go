package linear_test

import (
	"strings"
	"testing"

	"locktorture/checker/linear"
)

// The page holds the witness and not the whole history.
func TestVisualize(t *testing.T) {
	var ops []linear.Operation
	for i := range int64(5000) {
		ops = append(ops, acq(1, 10*i, 10*i+1), rel(1, 10*i+2, 10*i+3))
	}
	ops = append(ops, acq(3, 30_001, 30_001))
	v := linear.Check(ops, "mutex", linear.Options{})
	if v.Outcome != linear.Invalid {
		t.Fatalf("%+v", v)
	}
	var page strings.Builder
	if err := linear.Visualize(&page, ops, "mutex", linear.Options{Timeout: 1e9}, v.Witness); err != nil {
		t.Fatal(err)
	}
	if s := page.String(); !strings.Contains(s, "process 3 acquire") || len(s) > 1<<20 {
		t.Errorf("%d bytes, and the witness is in it: %t", len(s), strings.Contains(s, "process 3 acquire"))
	}
	if err := linear.Visualize(&page, ops, "replay", linear.Options{}, v.Witness); err == nil {
		t.Error("there is no picture of a replay")
	}
}
