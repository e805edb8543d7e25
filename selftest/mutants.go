package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/locks/mutants"
	"locktorture/registry"
)

// Mutants is the table of locks that are broken on purpose, each beside its correct twin. only
// names switches, with or without the prefix of a mutant; none stands for all. The error is
// that of a name that there is not.
func Mutants(only []string) (Table, error) {
	rows, err := mutantRows(only)
	if err != nil {
		return nil, err
	}
	return newMutantTally(rows), nil
}

// mutantRows are the mutants that were named.
func mutantRows(only []string) ([]mutants.Mutant, error) {
	rows := registry.MutantRows()
	if len(only) == 0 {
		return rows, nil
	}
	known := map[string]bool{}
	for _, m := range rows {
		known[string(m.Switch)] = true
	}
	chosen := map[string]bool{}
	for _, name := range only {
		name = strings.TrimPrefix(name, registry.MutantPrefix)
		if !known[name] {
			return nil, registry.Unknown("mutant", name, known)
		}
		chosen[name] = true
	}
	return slices.DeleteFunc(rows, func(m mutants.Mutant) bool { return !chosen[string(m.Switch)] }), nil
}

// A mutantTally collects what was found of each row.
type mutantTally struct {
	all   []*tallyRow // mutants, each after the twin with its flags
	named map[string]*tallyRow
}

// A tallyRow is a mutant, or a twin with the flags of some mutants.
type tallyRow struct {
	Name    string          `json:"name"`
	Mutant  *mutants.Mutant `json:"-"` // nil: a twin
	Flags   []string        `json:"flags,omitempty"`
	Anomaly string          `json:"anomaly,omitempty"` // that must be named
	finding
	Accused []string `json:"accused,omitempty"` // a twin, of what
	Unknown int      `json:"unknown,omitempty"` // verdicts
	Fired   int      `json:"fired,omitempty"`   // at least
	key     string
}

func newMutantTally(rows []mutants.Mutant) *mutantTally {
	t := &mutantTally{named: map[string]*tallyRow{}}
	for _, m := range rows {
		key := registry.TwinPrefix + m.Family + " " + strings.Join(m.Flags, " ")
		if t.named[key] == nil {
			t.named[key] = &tallyRow{Name: registry.TwinPrefix + m.Family, Flags: m.Flags, key: key}
			t.all = append(t.all, t.named[key])
		}
		name := registry.MutantPrefix + string(m.Switch)
		t.named[name] = &tallyRow{Name: name, Mutant: &m, Flags: m.Flags, Anomaly: m.Anomaly, key: name}
		t.all = append(t.all, t.named[name])
	}
	return t
}

func (t *mutantTally) section() section { return section{"table of mutants"} }
func (t *mutantTally) rows() []any      { return anys(t.all) }

func (t *mutantTally) play(ctx context.Context, r runner) {
	r.trials(ctx, t.runs(r.Options), t.add)
}

func (t *mutantTally) runs(o Options) []trial {
	return bySeed(o, t.all, func(r *tallyRow) trial {
		return trial{Name: r.key, Args: append([]string{"--backend", r.Name}, r.Flags...)}
	})
}

// add counts a run, and says what to show of it.
func (t *mutantTally) add(r trialResult) (keep bool, line string) {
	row := t.named[r.Name]
	row.Fired += r.Fired
	if why := row.noVerdict(r); why != "" {
		return true, why
	}
	if r.Result.Grade == checker.Unknown {
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
	return row.look(r, fmt.Sprintf("%s; fired %d", seenIn(r.Result), r.Fired), append([]string{row.Anomaly}, row.Mutant.Or...)...)
}

// code is the worst of the table: a mutant that was not found where it must be, or a twin that
// was accused.
func (t *mutantTally) code() int {
	code := exit.OK
	for _, r := range t.all {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exit.Harness)
		case len(r.Accused) > 0, r.Mutant != nil && (r.Found == 0 || r.Found < r.Of && r.Mutant.Luck == ""):
			code = exit.Worse(code, exit.Violated)
		}
	}
	return code
}
