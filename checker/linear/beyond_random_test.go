package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
)

// same judges random histories by two models, or changed ones by the same model.
func same(t *testing.T, model string, change func(*rand.Rand, []linear.Operation, *linear.Options) (string, []linear.Operation)) {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 15))
	counts := map[linear.Outcome]int{}
	for i := range *histories / 4 {
		ops, opt, _ := smallHistory(r, model)
		if linear.Validate(ops) != nil {
			continue
		}
		want := linear.Check(ops, model, opt)
		other, changed := change(r, slices.Clone(ops), &opt)
		if other == "" {
			continue
		}
		if got := linear.Check(changed, other, opt); got.Outcome != want.Outcome {
			t.Fatalf("history %d of seed %d: %v by %s (%s%s), %v by %s (%s%s)\n%s", i, *seed, want.Outcome, model, want.Reason, want.Explanation,
				got.Outcome, other, got.Reason, got.Explanation, render(ops))
		}
		counts[want.Outcome]++
	}
	if least := *histories / 1000; counts[linear.Valid] < least || counts[linear.Invalid] < least {
		t.Errorf("too few of one kind: %v", counts)
	}
}

// A hold that lasts for ever is one that ends with its release alone.
func TestTimedForEver(t *testing.T) {
	for _, model := range []string{"rwlock", "semaphore"} {
		t.Run(model, func(t *testing.T) {
			same(t, model, func(_ *rand.Rand, ops []linear.Operation, opt *linear.Options) (string, []linear.Operation) {
				opt.TTL = math.MaxInt64
				for i := range ops {
					if ops[i].Token = 0; ops[i].Status == linear.Refused && ops[i].F != linear.Acquire {
						return "", nil // a hold of the same process in the other mode may have been meant
					}
				}
				return "timed-" + model, ops
			})
		})
	}
}

// Without observers an election is a lease with tokens.
func TestElectionWithoutObservers(t *testing.T) {
	as := map[linear.F]linear.F{linear.Acquire: linear.Campaign, linear.Release: linear.Resign, linear.Renew: linear.Renew, linear.End: linear.End}
	same(t, "fenced", func(_ *rand.Rand, ops []linear.Operation, _ *linear.Options) (string, []linear.Operation) {
		for i := range ops {
			ops[i].F = as[ops[i].F]
		}
		return "election", ops
	})
}

// The order in which operations are given, the numbers of processes and the
// start of the clock say nothing.
func TestBeyondSameInAnyForm(t *testing.T) {
	for _, model := range []string{"timed-rwlock", "timed-semaphore", "latch", "barrier", "election"} {
		t.Run(model, func(t *testing.T) {
			same(t, model, func(r *rand.Rand, ops []linear.Operation, _ *linear.Options) (string, []linear.Operation) {
				if tied(ops) {
					return "", nil // equal stamps of a process are in the order in which they are given
				}
				shift := r.Int64N(2001) - 1000
				for i := range ops {
					ops[i].Process = 1000 - 3*ops[i].Process
					ops[i].Call += shift
					ops[i].Return += shift
				}
				r.Shuffle(len(ops), func(i, k int) { ops[i], ops[k] = ops[k], ops[i] })
				return model, ops
			})
		})
	}
}

// tied reports whether a process has two operations that touch.
func tied(ops []linear.Operation) bool {
	stamps := map[[2]int64]int{}
	for _, o := range ops {
		p := int64(o.Process)
		stamps[[2]int64{p, o.Call}]++
		if o.Status != linear.Pending && o.Return != o.Call {
			stamps[[2]int64{p, o.Return}]++
		}
	}
	for _, n := range stamps {
		if n > 1 {
			return true
		}
	}
	return false
}

// What is valid stays so with another operation of unknown outcome, and with
// more room: longer to answer, a greater capacity, a shorter guarantee.
func TestBeyondMoreRoom(t *testing.T) {
	more := map[string]linear.Operation{
		"timed-rwlock": {F: linear.Acquire}, "timed-semaphore": {F: linear.Acquire, Permits: 2}, "latch": {F: linear.CountDown},
		"barrier": {F: linear.Enter}, "election": {F: linear.Campaign, Value: "x"},
	}
	for model, extra := range more {
		t.Run(model, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 16))
			for i := range *histories / 4 {
				cfg := gen.Config{Model: model, Processes: 3, Operations: 9, Unknown: 0.1, Tries: 0.5, MaxStep: 3, Capacity: 2, TTL: 8}
				ops, opt := gen.History(r, cfg), cfg.Options()
				extra.Process, extra.Call = 1_000_000, r.Int64N(20)
				ops = append(ops, extra)
				opt.TTL -= 2
				opt.Capacity++
				if v := linear.Check(ops, model, opt); v.Outcome != linear.Valid {
					t.Fatalf("history %d of seed %d: %v (%s%s)\n%s", i, *seed, v.Outcome, v.Reason, v.Explanation, render(ops))
				}
			}
		})
	}
}
