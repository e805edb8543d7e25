package linear_test

import (
	"fmt"
	"strings"
	"testing"

	"locktorture/checker/linear"
)

// TestMemoryBorders: an engine answers with what it needs, and says unknown with a byte less.
func TestMemoryBorders(t *testing.T) {
	var reads, appends []linear.Operation
	for i := range 8 {
		reads = append(reads, linear.Operation{Process: i, F: linear.Read, Status: linear.OK, Call: 1, Return: 2})
	}
	for i := range 6 { // in any order, none of which explains the read: 1956 configurations
		appends = append(appends, linear.Operation{Process: i, F: linear.Append, Status: linear.OK, Call: 1, Return: 2, Value: fmt.Sprint(i)})
	}
	appends = append(appends, linear.Operation{Process: 9, F: linear.Read, Status: linear.OK, Call: 3, Return: 4, Value: "x"})
	for _, tt := range []struct {
		name   string
		ops    []linear.Operation
		engine string
		needs  int64
		want   linear.Outcome
	}{
		{"porcupine: n²/8 and 400 an operation", reads, "porcupine", 8 + 8*400, linear.Valid},
		{"search: 200 an operation", reads, "search", 8 * 200, linear.Valid},
		{"and the set of what was visited, which grows from 2048 to 4096 entries", appends, "search", 7*200 + 3*2048*16, linear.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := linear.Options{Engine: tt.engine, Memory: tt.needs}
			if v := linear.Check(tt.ops, "register", o); v.Outcome != tt.want {
				t.Errorf("with %d bytes: %v, %s", o.Memory, v.Outcome, v.Reason)
			}
			o.Memory--
			if v := linear.Check(tt.ops, "register", o); v.Outcome != linear.Unknown || !strings.Contains(v.Reason, "limit") || strings.Contains(v.Reason, "found no") {
				t.Errorf("with %d bytes: %v, %s", o.Memory, v.Outcome, v.Reason)
			}
		})
	}
}

// TestStates: no configuration is visited twice. Of six appends in any order there are 6!/0! +
// 6!/1! + … + 6!/5!.
func TestStates(t *testing.T) {
	var ops []linear.Operation
	for i := range 6 {
		ops = append(ops, linear.Operation{Process: i, F: linear.Append, Status: linear.OK, Call: 1, Return: 2, Value: fmt.Sprint(i)})
	}
	ops = append(ops, linear.Operation{Process: 9, F: linear.Read, Status: linear.OK, Call: 3, Return: 4, Value: "x"})
	if v := linear.Check(ops, "register", linear.Options{Engine: "search"}); v.Outcome != linear.Invalid || v.States != 1956 {
		t.Errorf("%v after %d configurations", v.Outcome, v.States)
	}
}

// TestVisualizedPart: the picture holds thirty operations on either side of the first and the
// last of the witness, by their calls, and what of the witness lies between.
func TestVisualizedPart(t *testing.T) {
	var ops []linear.Operation
	for i := range 400 {
		ops = append(ops, linear.Operation{Process: 1000 + i, F: linear.Write, Status: linear.OK, Call: int64(10 * i), Return: int64(10*i + 5), Value: fmt.Sprint(i)})
	}
	var page strings.Builder
	if err := linear.Visualize(&page, ops, "register", linear.Options{}, []int{300, 100, 200}); err != nil {
		t.Fatal(err)
	}
	for i := range ops {
		want := i >= 70 && i <= 130 || i == 200 || i >= 270 && i <= 330
		if got := strings.Contains(page.String(), fmt.Sprintf("process %d write", 1000+i)); got != want {
			t.Errorf("operation %d is in the picture: %v, want %v", i, got, want)
		}
	}
}

// TestUnknownFunction: what is no function has a name all the same.
func TestUnknownFunction(t *testing.T) {
	for f, want := range map[linear.F]string{0: "F(0)", linear.Acquire: "acquire", linear.Observe: "observe", linear.Observe + 1: "F(19)"} {
		if f.String() != want {
			t.Errorf("%s, want %s", f, want)
		}
	}
}
