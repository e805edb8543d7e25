package linear_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/gen"
)

var (
	histories = flag.Int("histories", 2000, "random histories for each model and kind of tries")
	seed      = flag.Uint64("seed", 1, "of the random histories")
	only      = flag.String("models", "", "comma separated; all of them if empty")
)

// A tally counts what was compared.
type tally struct {
	valid, invalid, unknown, illFormed int
	fast                               int // decided without a search
	mutated, pending, ties             int
	unanswered                         int // porcupine found no answer
}

// TestAgrees compares each fast procedure and the search with porcupine, on
// small random histories: valid and damaged, with unknown outcomes, refused
// tries and stamps that are equal across clients.
func TestAgrees(t *testing.T) {
	for _, model := range linear.Models() {
		if model == "replay" {
			continue // no linearizability, see TestReplay
		}
		if *only != "" && !slices.Contains(strings.Split(*only, ","), model) {
			continue
		}
		for _, strict := range []bool{false, true} {
			if strict && !hasTries(model) {
				continue
			}
			t.Run(fmt.Sprintf("%s/strict=%t", model, strict), func(t *testing.T) {
				t.Parallel()
				n := agree(t, model, strict, *histories, *seed)
				t.Logf("%s, strict tries %t, seed %d: %d valid, %d invalid, %d unknown; %d decided without a search; %d mutated, %d with unknown outcomes, %d with ties; %d ill-formed were left out; porcupine had no answer to %d",
					model, strict, *seed, n.valid, n.invalid, n.unknown, n.fast, n.mutated, n.pending, n.ties, n.illFormed, n.unanswered)
				if n.valid < *histories/40 || n.invalid < *histories/40 {
					t.Errorf("too few of one kind to mean much: %+v", n)
				}
				if n.unanswered > *histories/1000 {
					t.Errorf("porcupine had no answer to %d", n.unanswered)
				}
				if n.unknown > 0 {
					t.Errorf("%d histories were not decided", n.unknown)
				}
			})
		}
	}
}

func hasTries(model string) bool {
	return slices.Contains([]string{"mutex", "reentrant", "lease", "fenced", "reentrant-fenced", "timed-lease", "rwlock", "semaphore", "timed-rwlock", "timed-semaphore", "latch"}, model)
}

func agree(t *testing.T, model string, strict bool, count int, seed uint64) tally {
	var n tally
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, model, strict)
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	for i := 0; n.valid+n.invalid < count; i++ {
		ops, opt, mutated := smallHistory(r, model)
		opt.StrictTries = strict
		if linear.Validate(ops) != nil {
			n.illFormed++
			continue
		}
		opt.Engine, opt.Timeout = "porcupine", 5*time.Second
		want := linear.Check(ops, model, opt)
		opt.Engine, opt.Timeout = "search", 0
		searched := linear.Check(ops, model, opt)
		opt.Engine = ""
		got := linear.Check(ops, model, opt)
		if want.Outcome == linear.Unknown && got.Outcome == searched.Outcome {
			n.unanswered++ // by porcupine, in its time
			continue
		}
		if got.Outcome != want.Outcome || searched.Outcome != want.Outcome || !mutated && want.Outcome != linear.Valid {
			t.Fatalf("history %d of seed %d (mutated %t, %+v): %s says %v (%s), search %v, porcupine %v\n%s", i, seed, mutated, opt,
				got.Algorithm, got.Outcome, got.Explanation+got.Reason, searched.Outcome, want.Outcome, render(ops))
		}
		checkEvidence(t, got, len(ops))
		n.count(ops, got, mutated)
	}
	return n
}

// checkEvidence asks what every verdict owes its reader.
func checkEvidence(t *testing.T, v linear.Verdict, ops int) {
	t.Helper()
	if v.Outcome == linear.Invalid && (len(v.Witness) == 0 || v.Explanation == "") {
		t.Fatalf("invalid without its witness: %+v", v)
	}
	for _, i := range v.Witness {
		if i < 0 || i >= ops {
			t.Fatalf("the witness names an operation that is not there: %+v", v)
		}
	}
}

func (n *tally) count(ops []linear.Operation, v linear.Verdict, mutated bool) {
	switch v.Outcome {
	case linear.Valid:
		n.valid++
	case linear.Invalid:
		n.invalid++
	default:
		n.unknown++
	}
	if v.Algorithm != "search" {
		n.fast++
	}
	if mutated {
		n.mutated++
	}
	if slices.ContainsFunc(ops, func(o linear.Operation) bool { return o.Status == linear.Pending }) {
		n.pending++
	}
	stamps := map[int64]bool{}
	for _, o := range ops {
		if stamps[o.Call] {
			n.ties++
			break
		}
		stamps[o.Call] = true
	}
}

// smallHistory draws a history that porcupine decides at once, and whether it
// was damaged.
func smallHistory(r *rand.Rand, model string) ([]linear.Operation, linear.Options, bool) {
	cfg := gen.Config{
		Model: model, Processes: 2 + r.IntN(3), Operations: 3 + r.IntN(12),
		Unknown: []float64{0, 0.1, 0.3}[r.IntN(3)], Tries: []float64{0, 0.5, 1}[r.IntN(3)],
		MaxStep: int64(r.IntN(4)), Capacity: 1 + r.IntN(3), Stock: int64(r.IntN(6)),
		TTL: int64(1 + r.IntN(12)), Duplicates: r.IntN(8) == 0,
	}
	switch model {
	case "log":
		cfg.Operations = 3 + r.IntN(6) // appends that nobody has read are n! for porcupine
	case "barrier":
		cfg.Operations = 3 + r.IntN(7) // two events each
	case "latch":
		cfg.Capacity, cfg.Reads = 1+cfg.Operations/4, 0.6 // to open in the middle
	}
	ops := gen.History(r, cfg)
	mutated := r.IntN(2) == 0
	if mutated {
		ops = gen.Mutate(r, ops)
	}
	return ops, cfg.Options(), mutated
}

func render(ops []linear.Operation) string {
	var b strings.Builder
	for i, o := range ops {
		fmt.Fprintf(&b, "%3d %v\n", i, o)
	}
	return b.String()
}
