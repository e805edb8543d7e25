package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/locks/mutants"
)

var mutantTable = section{"table of mutants"}

func newSelftestMutants() *cobra.Command {
	var s selftestSpec
	var only []string
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "run locks that are broken on purpose, and their correct twins",
		Long: `Each mutant is one switch away from a correct lock, its twin. A mutant must be found: its
anomaly must be named in every seed. A twin must not be accused of anything, with the flags of
each of its mutants.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.mutants(cmd, only) },
	}
	s.register(cmd.Flags())
	cmd.Flags().StringSliceVar(&only, "only", nil, "these mutants only, and the twins beside them (torture list mutants)")
	return cmd
}

// mutants runs the table and shows it.
func (s *selftestSpec) mutants(cmd *cobra.Command, only []string) error {
	rows, err := chosenMutants(only)
	if err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := mutantTable.check(s.Markdown); err != nil {
		return err
	}
	t := newMutantTally(rows)
	s.trials(cmd.Context(), cmd.ErrOrStderr(), t.trials(s.seeds()), t.add)
	if err := s.showMutants(cmd, t); err != nil {
		return broken(err)
	}
	if cmd.Context().Err() != nil {
		return exit.Silent(exitInterrupted)
	}
	if err := mutantTable.write(s.Markdown, t.markdown(s)); err != nil {
		return err
	}
	if code := t.code(); code != exitOK {
		return exit.Silent(code)
	}
	return nil
}

// chosenMutants are those that are named, or all.
func chosenMutants(only []string) ([]mutants.Mutant, error) {
	all := mutantRows()
	if len(only) == 0 {
		return all, nil
	}
	known := map[string]bool{}
	for _, m := range all {
		known[string(m.Switch)] = true
	}
	for i, name := range only {
		only[i] = strings.TrimPrefix(name, mutantPrefix)
		if !known[only[i]] {
			return nil, unknownName("mutant", only[i], known)
		}
	}
	return slices.DeleteFunc(all, func(m mutants.Mutant) bool { return !slices.Contains(only, string(m.Switch)) }), nil
}

// A mutantTally collects what was found of each row.
type mutantTally struct {
	rows  []*tallyRow // mutants, each after the twin with its flags
	named map[string]*tallyRow
}

// A tallyRow is a mutant, or a twin with the flags of some mutants.
type tallyRow struct {
	Name    string          `json:"name"`
	Mutant  *mutants.Mutant `json:"-"` // nil: a twin
	Flags   []string        `json:"flags,omitempty"`
	Anomaly string          `json:"anomaly,omitempty"` // that must be named
	Of      int             `json:"of"`
	Found   int             `json:"found"`             // a mutant that was named for what it is
	Accused []string        `json:"accused,omitempty"` // a twin, of what
	Unknown int             `json:"unknown,omitempty"` // verdicts
	Failed  []string        `json:"failed,omitempty"`  // runs without a verdict
	First   []time.Duration `json:"first_ns,omitempty"`
	Fired   int             `json:"fired,omitempty"` // at least
	Instead []string        `json:"instead,omitempty"`
	key     string
}

func newMutantTally(rows []mutants.Mutant) *mutantTally {
	t := &mutantTally{named: map[string]*tallyRow{}}
	for _, m := range rows {
		key := twinPrefix + m.Family + " " + strings.Join(m.Flags, " ")
		if t.named[key] == nil {
			t.named[key] = &tallyRow{Name: twinPrefix + m.Family, Flags: m.Flags, key: key}
			t.rows = append(t.rows, t.named[key])
		}
		name := mutantPrefix + string(m.Switch)
		t.named[name] = &tallyRow{Name: name, Mutant: &m, Flags: m.Flags, Anomaly: m.Anomaly, key: name}
		t.rows = append(t.rows, t.named[name])
	}
	return t
}

// trials are the runs of all rows: each row's first seed comes before any second.
func (t *mutantTally) trials(seeds []uint64) (all []trial) {
	for _, seed := range seeds {
		for _, r := range t.rows {
			all = append(all, trial{Name: r.key, Args: append([]string{"--backend", r.Name}, r.Flags...), Seed: seed})
		}
	}
	return all
}

// add counts a run, and says what to show of it.
func (t *mutantTally) add(r trialResult) (keep bool, line string) {
	row := t.named[r.Name]
	row.Of++
	row.Fired += r.Fired
	switch {
	case r.Failed != "":
		row.Failed = append(row.Failed, fmt.Sprintf("seed %d: %s", r.Seed, r.Failed))
		return true, "no verdict: " + r.Failed
	case r.Result.Grade == checker.Unknown:
		row.Unknown++
	}
	if row.Mutant == nil {
		accused := accusations(r.Result)
		for _, kind := range accused {
			row.Accused = append(row.Accused, fmt.Sprintf("%s (seed %d)", kind, r.Seed))
		}
		if len(accused) > 0 {
			return true, "ACCUSED: " + strings.Join(accused, ", ") + ": " + r.Dir
		}
		return false, "not accused, " + string(r.Result.Grade)
	}
	at, kind, ok := r.first(append([]string{row.Anomaly}, row.Mutant.Or...)...)
	if !ok {
		row.Instead = append(row.Instead, fmt.Sprintf("seed %d: %s", r.Seed, seenIn(r.Result)))
		return true, fmt.Sprintf("NOT FOUND (%s; fired %d): %s", seenIn(r.Result), r.Fired, r.Dir)
	}
	row.Found++
	row.First = append(row.First, at)
	return false, fmt.Sprintf("%s after %s", kind, at.Round(time.Millisecond))
}

// seenIn says in a few words what was found.
func seenIn(r checker.Result) string {
	parts := []string{string(r.Grade)}
	for _, kind := range checker.Kinds() {
		if r.Counts.Anomalies[kind] > 0 {
			parts = append(parts, kind)
		}
	}
	return strings.Join(parts, " + ")
}

// accusations are what a verdict blames the lock for. A holder that overstays because it was
// stopped is not the lock's fault, nor what such a holder does to a store without a fence.
func accusations(r checker.Result) (kinds []string) {
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			if a.Kind != "overrun" && p.Name != "workload" && !slices.Contains(kinds, a.Kind) {
				kinds = append(kinds, a.Kind)
			}
		}
	}
	if len(kinds) == 0 && r.BrokenBy != checker.TheHolder && (r.Grade == checker.Unsafe || r.Failed) {
		kinds = append(kinds, "failed: "+r.Sentence)
	}
	return kinds
}

// code is the worst of the table: a mutant that was not found where it must be, or a twin that was accused.
func (t *mutantTally) code() int {
	code := exitOK
	for _, r := range t.rows {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exitHarness)
		case len(r.Accused) > 0, r.Mutant != nil && (r.Found == 0 || r.Found < r.Of && r.Mutant.Luck == ""):
			code = exit.Worse(code, exitViolated)
		}
	}
	return code
}

// showMutants prints the rows.
func (s *selftestSpec) showMutants(cmd *cobra.Command, t *mutantTally) error {
	out := cmd.OutOrStdout()
	if s.JSON {
		enc := json.NewEncoder(out)
		for _, r := range t.rows {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := fmt.Fprint(out, t.markdown(s))
	return err
}
