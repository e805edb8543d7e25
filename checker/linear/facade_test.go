package linear_test

import (
	"testing"

	"locktorture/checker/linear"
)

func acq(p int, call, ret int64) linear.Operation {
	return linear.Operation{Process: p, F: linear.Acquire, Status: linear.OK, Call: call, Return: ret}
}

func rel(p int, call, ret int64) linear.Operation {
	return linear.Operation{Process: p, F: linear.Release, Status: linear.OK, Call: call, Return: ret}
}

// The two verdicts on one record: a plain mutex and a lease that may expire.
func TestModelIsNamed(t *testing.T) {
	ops := []linear.Operation{acq(1, 0, 10), acq(2, 20, 30), rel(2, 40, 50)}
	for model, want := range map[string]linear.Outcome{"mutex": linear.Invalid, "lease": linear.Valid} {
		for _, engine := range []string{"", "search", "porcupine"} {
			if got := linear.Check(ops, model, linear.Options{Engine: engine}); got.Outcome != want {
				t.Errorf("%s by %q: %v (%s %s), want %v", model, engine, got.Outcome, got.Reason, got.Explanation, want)
			}
		}
	}
}

// Porcupine is refused before it eats the memory.
func TestPorcupineIsBounded(t *testing.T) {
	var ops []linear.Operation
	for i := range int64(20000) {
		ops = append(ops, acq(1, 4*i, 4*i+1), rel(1, 4*i+2, 4*i+3))
	}
	v := linear.Check(ops, "mutex", linear.Options{Engine: "porcupine", Memory: 100 << 20})
	if v.Outcome != linear.Unknown || v.Reason == "" {
		t.Errorf("got %+v", v)
	}
}
