package linear_test

import (
	"math/rand/v2"
	"testing"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
)

// With a dozen clients many increments wait for their slot at a time, more than TestAgrees
// draws; every other has reads that may be wrong.
func TestSlotsOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 17))
	counts := map[linear.Outcome]int{}
	for i := range *histories / 4 {
		cfg := gen.Config{Model: "counter", Processes: 12, Operations: 40, Unknown: 0.1, MaxStep: 3, Reads: 0.2}
		ops := gen.History(r, cfg)
		for k := range ops {
			if ops[k].F == linear.Read && i%2 == 0 && r.IntN(4) == 0 {
				ops[k].Number += r.Int64N(9) - 4
			}
		}
		want := linear.Check(ops, "counter", linear.Options{Engine: "search"})
		if got := linear.Check(ops, "counter", linear.Options{}); got.Outcome != want.Outcome {
			t.Fatalf("history %d of seed %d: %v by %s (%s), %v by search\n%s", i, *seed, got.Outcome, got.Algorithm, got.Explanation, want.Outcome, render(ops))
		}
		counts[want.Outcome]++
	}
	if least := *histories / 100; counts[linear.Valid] < least || counts[linear.Invalid] < least {
		t.Errorf("too few of one kind: %v", counts)
	}
}
