package selftest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/locks/mutants"
)

// A switch counts by powers of two, and each process of a client from one.
func TestFired(t *testing.T) {
	for log, want := range map[string]int{
		"":                 0,
		"mutant fired 1\n": 1,
		"mutant fired 1\nmutant fired 2\nother\nmutant fired 4\n": 4,
		"mutant fired 1\nmutant fired 2\nmutant fired 1\n":        3,
	} {
		if got := fired(log); got != want {
			t.Errorf("fired %q: %d, want %d", log, got, want)
		}
	}
}

// A holder that overstays is no accusation of the lock; all else is.
func TestAccusations(t *testing.T) {
	result := func(grade checker.Grade, kinds ...[2]string) checker.Result {
		r := checker.Result{Grade: grade, Sentence: "why"}
		for _, k := range kinds {
			r.Properties = append(r.Properties, checker.Property{Name: k[0], Anomalies: []checker.Anomaly{{Kind: k[1]}}})
		}
		return r
	}
	overstayed := result(checker.Unsafe, [2]string{"exclusion", "overrun"}, [2]string{"workload", "oversold"})
	overstayed.BrokenBy, overstayed.Failed = checker.TheHolder, true
	for _, c := range []struct {
		name string
		r    checker.Result
		want []string
	}{
		{"safe", result(checker.Safe), nil},
		{"unknown is no accusation", result(checker.Unknown), nil},
		{"a stopped holder", result(checker.FencedG, [2]string{"exclusion", "overrun"}, [2]string{"workload", "oversold"}), nil},
		{"a double grant that the fence caught", result(checker.FencedG, [2]string{"exclusion", "double-grant"}), []string{"double-grant"}},
		{"beside a safe", result(checker.Safe, [2]string{"liveness", "deadlock"}), []string{"deadlock"}},
		{"a stopped holder, and no token that could have saved the store", overstayed, nil},
		{"unsafe without a cause", result(checker.Unsafe, [2]string{"workload", "oversold"}), []string{"failed: why"}},
	} {
		if diff := cmp.Diff(c.want, accusations(c.r)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// The table fails if a mutant was missed without a reason, or a twin accused.
func TestMutantTally(t *testing.T) {
	m := mutants.Mutant{Switch: "x", Family: mutants.FamilyKey, Anomaly: "orphan"}
	lucky := m
	lucky.Luck = "once in a while"
	orphan := checker.Result{Grade: checker.Safe, Properties: []checker.Property{{Name: "liveness", Anomalies: []checker.Anomaly{{Kind: "orphan", Time: 3e9}, {Kind: "orphan", Time: 2e9}}}}}
	none := checker.Result{Grade: checker.Safe}
	for _, c := range []struct {
		name   string
		m      mutants.Mutant
		mutant []checker.Result
		twin   checker.Result
		code   int
	}{
		{"found, not flagged", m, []checker.Result{orphan, orphan}, none, exit.OK},
		{"missed once", m, []checker.Result{orphan, none}, none, exit.Violated},
		{"missed once, which may be", lucky, []checker.Result{orphan, none}, none, exit.OK},
		{"never found", lucky, []checker.Result{none, none}, none, exit.Violated},
		{"the twin is flagged", m, []checker.Result{orphan, orphan}, orphan, exit.Violated},
	} {
		rows := newTallyRows([]mutants.Mutant{c.m})
		twin, mutant := rows[0], rows[1]
		for i, r := range c.mutant {
			mutant.add(cell{trial: trial{Row: "mutant-x", Seed: uint64(i)}, Result: brief(r)})
		}
		twin.add(cell{trial: trial{Row: twin.key, Seed: 1}, Result: brief(c.twin)})
		if got := mutantTable(rows).code(); got != c.code {
			t.Errorf("%s: code %d, want %d", c.name, got, c.code)
		}
		if first := mutant.First; len(first) > 0 && first[0] != 2e9 {
			t.Errorf("%s: first after %s, want 2 s", c.name, first[0])
		}
	}
}
